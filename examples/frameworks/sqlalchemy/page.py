from sqlalchemy import text

PAGE = text("""
    SELECT r.decision, p.* FROM lists.recommend(:user_id, 5) r
    JOIN product p ON p.id = r.item ORDER BY r.position""")
CLICKED = text('SELECT lists.reward(:decision, :item)')


def page(session, user_id):
    return session.execute(PAGE, {'user_id': user_id}).all()


def clicked(session, decision, item):
    session.execute(CLICKED, {'decision': decision, 'item': item})
