from django.db import connection
from django.http import HttpResponse, JsonResponse

from .models import Product


def page(request, user_id):
    products = Product.objects.raw("""
        SELECT p.*, r.decision FROM lists.recommend(%s, 5) r
        JOIN product p ON p.id = r.item ORDER BY r.position""", [user_id])
    return JsonResponse([{'decision': p.decision, 'item': p.id, 'brand': p.brand}
                         for p in products], safe=False)


def clicked(request, decision, item):
    with connection.cursor() as cursor:
        cursor.execute('SELECT lists.reward(%s, %s)', [decision, item])
    return HttpResponse(status=204)
