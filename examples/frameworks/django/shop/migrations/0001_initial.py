from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    operations = [migrations.CreateModel('Product', [
        ('id', models.BigAutoField(primary_key=True)),
        ('category', models.TextField()),
        ('brand', models.TextField()),
        ('price', models.FloatField()),
        ('in_stock', models.BooleanField(default=True))],
        {'db_table': 'product'})]
