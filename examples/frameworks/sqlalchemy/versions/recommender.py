from alembic import op

revision = 'recommender'
down_revision = 'product'


def upgrade():
    op.execute("""
        SELECT dlints_create_recommender('lists', 'product', '{category,brand,price}',
                                         candidates => 'i.in_stock')
        WHERE  EXISTS (SELECT FROM product)""")


def downgrade():
    op.execute('DROP SCHEMA IF EXISTS lists CASCADE')
