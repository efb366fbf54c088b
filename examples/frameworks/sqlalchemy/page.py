from sqlalchemy import text

PAGE = text("""
    SELECT r.decision, p.* FROM lists.recommend(:person, 5) r
    JOIN product p ON p.id = r.item ORDER BY r.place""")
CLICKED = text('SELECT lists.reward(:decision, :item)')


def page(session, person):
    return session.execute(PAGE, {'person': person}).all()


def clicked(session, decision, item):
    session.execute(CLICKED, {'decision': decision, 'item': item})
