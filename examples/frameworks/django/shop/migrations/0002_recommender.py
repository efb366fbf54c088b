from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [('shop', '0001_initial')]
    operations = [migrations.RunSQL("""
        SELECT dlints_create_recommender('lists', 'product', '{category,brand,price}',
                                         candidates => 'i.in_stock')
        WHERE  EXISTS (SELECT FROM product)""",
        'DROP SCHEMA IF EXISTS lists CASCADE')]
