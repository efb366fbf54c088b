from pathlib import Path

from alembic import op

revision = 'recommender'
down_revision = 'product'


def upgrade():
    # as it stands there: : and % are no parameters
    connection = op.get_bind().execution_options(no_parameters=True)
    connection.exec_driver_sql(Path(__file__).with_name('make_lists.sql').read_text())


def downgrade():
    op.execute('DROP SCHEMA lists CASCADE')
