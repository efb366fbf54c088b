import sqlalchemy as sa
from alembic import op

revision = 'product'
down_revision = None


def upgrade():
    op.create_table('product', sa.Column('id', sa.BigInteger, primary_key=True),
                    sa.Column('category', sa.Text), sa.Column('brand', sa.Text),
                    sa.Column('price', sa.Float),
                    sa.Column('in_stock', sa.Boolean, server_default='true'))


def downgrade():
    op.drop_table('product')
