from django.db import models


class Product(models.Model):
    category = models.TextField()
    brand = models.TextField()
    price = models.FloatField()
    in_stock = models.BooleanField(default=True)

    class Meta:
        db_table = 'product'
