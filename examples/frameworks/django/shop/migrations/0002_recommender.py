from pathlib import Path

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [('shop', '0001_initial')]
    operations = [migrations.RunSQL(
        Path(__file__).with_name('make_lists.sql').read_text(),
        'DROP SCHEMA lists CASCADE')]
