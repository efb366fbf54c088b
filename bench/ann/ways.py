"""The ways to the best items under a draw: statements and indexes."""

from dataclasses import dataclass

from bench.ann.catalogue import BEST, DRAWS_OF, LATER, NAMES

CANDIDATES = 300

# Numbers in all: up to which vector is compared with halfvec, and from which
# building takes very long
SMALL = 2e7
LARGE = 1e8
WORKERS = 3
MODELS = 'plain', 'matched'

# Lists of IVFFlat, in roots of the number of items
LISTS = 4

EXACT = f"""
    WITH draw AS MATERIALIZED ({{draw}})
    SELECT array(SELECT id
                 FROM   {{table}} {{where}}
                 ORDER  BY dlints_dot((SELECT weights FROM draw), features) DESC
                 LIMIT  {BEST})"""

# What a recommender has its list chosen of is the best under so many draws.
SHORTLIST_DRAWS = 16
SHORTLIST = f"""
    WITH draw AS MATERIALIZED ({{draw}})
    SELECT dlints_shortlist(ids, features, draw.weights, {BEST})
    FROM   {{table}}, draw"""

INDEXED = f"""
    WITH draw AS MATERIALIZED ({{draw}})
    SELECT array(SELECT id
                 FROM   {{table}} {{where}}
                 ORDER  BY {{item}} <#> (SELECT {{weights}} FROM draw)
                 LIMIT  {BEST})"""

HANDED_OVER = f"""\
SELECT id, features
                       FROM   {{table}} {{where}}
                       ORDER  BY {{item}} <#> (SELECT {{weights}} FROM draw)
                       LIMIT  {CANDIDATES}"""

RANKED = f"""
    WITH draw AS MATERIALIZED ({{draw}})
    SELECT array(SELECT id
                 FROM  ({HANDED_OVER}) candidate
                 ORDER  BY dlints_dot(({{ranking_draw}}), features) DESC
                 LIMIT  {BEST})"""

RECOMMENDED = f"""
    WITH draw AS MATERIALIZED ({{draw}})
    SELECT dlints_recommend((SELECT state FROM model WHERE name = {{name}}),
                            id, features, {BEST}{{profile}})
    FROM  ({HANDED_OVER}) candidate"""

PROFILES = {'plain': '',
            'matched': ', (SELECT features FROM member WHERE id = $1)'}


@dataclass(frozen=True)
class Form:
    """What is searched: an expression over items, and one over weights."""

    name: str
    item: str = ''
    weights: str = ''
    type: str = ''
    size: int = 0
    table: str = 'item'


@dataclass(frozen=True)
class Index:
    """An index over a form."""

    method: str
    form: Form
    options: str = ''

    def create(self):
        """Return the statement that builds it."""
        options = f'WITH ({self.options})' if self.options else ''
        return (f'CREATE INDEX nearest ON {self.form.table} USING {self.method}'
                f' (({self.form.item}) {self.form.type}_ip_ops) {options}')


@dataclass(frozen=True)
class Way:
    """A statement and a setting; its plan has to show what is named.

    `judged` stands in for a statement whose draw nobody can see.
    """

    name: str
    form: Form
    statement: str
    plan: str
    setting: str = 'jit = off'
    judged: str = ''
    draws: int = 1

    def sql(self, model, filtered, judged=False):
        """Return the statement, whose parameter $1 is the draw's number."""
        ranking = 'SELECT weights FROM draw'
        if self.judged:
            ranking = DRAWS_OF[model].format(seed=LATER)
        kind = 'reduced' if self.form.table == 'reduced_item' else model
        seed = f'$1, {self.draws}' if self.form.table == 'block' else '$1'
        return (judged and self.judged or self.statement).format(
            table=self.form.table, item=self.form.item,
            weights=self.form.weights, name=NAMES[model],
            profile=PROFILES[model],
            draw=DRAWS_OF[kind].format(seed=seed), ranking_draw=ranking,
            where='WHERE in_stock' if filtered else '')

    def takes(self, model, filtered):
        """Can it rank by this model, among those in stock?"""
        return (self.form.table != 'reduced_item' or model == MODELS[0]) and (
            self.form.table != 'block' or not filtered)


def vector(dim, kind='vector'):
    """Return the form of features as they are."""
    return Form(kind, f'features::{kind}({dim})', f'weights::{kind}({dim})',
                kind, dim)


def lengthened(dim, longest):
    """Return features with a number more that makes all of one length."""
    return Form(
        'halfvec, one length',
        f'(features || sqrt({longest ** 2 * 1.0001:.6f} - '
        f'dlints_dot(features, features))::real)::halfvec({dim + 1})',
        f'(weights || 0::float8)::halfvec({dim + 1})', 'halfvec', dim + 1)


def reduced(dim):
    """Return reduced features, the intercept last."""
    return Form('halfvec, reduced', f'features::halfvec({dim + 1})',
                f'weights::halfvec({dim + 1})', 'halfvec', dim + 1,
                'reduced_item')


def exact():
    """Return the ways that look at all items."""
    parallel = (f'max_parallel_workers_per_gather = {WORKERS}; '
                'SET parallel_setup_cost = 0; '
                'SET min_parallel_table_scan_size = 0')
    features, few = Form('features'), Form('reduced', table='reduced_item')
    block = Form('blocks', table='block')
    return [Way('exact', features, EXACT, 'Seq Scan'),
            Way('exact, parallel', features, EXACT, 'Gather', parallel),
            Way('exact, reduced', few, EXACT, 'Seq Scan'),
            Way('exact, reduced, parallel', few, EXACT, 'Gather', parallel),
            Way('exact, blocks', block, SHORTLIST, 'Seq Scan'),
            Way(f'exact, blocks, {SHORTLIST_DRAWS} draws at once', block,
                SHORTLIST, 'Seq Scan', draws=SHORTLIST_DRAWS)]


def indexes(catalogue, options):
    """Return the indexes to build."""
    items, dim = catalogue.vectors.shape
    forms = [vector(dim, 'halfvec'), reduced(catalogue.reduced_dim)]
    if catalogue.is_uneven:
        forms.insert(1, lengthened(dim, catalogue.longest))
    elif items * dim < SMALL:
        forms.insert(0, vector(dim))
    roots = options.lists or (1 if catalogue.is_uneven else LISTS)
    sizes = {'ivfflat': f'lists = {roots * items ** 0.5:.0f}', 'hnsw': ''}
    return [Index(method, form, sizes[method])
            for method in options.methods for form in forms
            if options.all or items * form.size < LARGE]


def searches(index):
    """Return the ways through an index, one stage and two."""
    name, few, many, most = {
        'hnsw': ('hnsw.ef_search', 40, 200, CANDIDATES),
        'ivfflat': ('ivfflat.probes', 10, 40, 40)}[index.method]
    found = [_through(index, f'{name} = {few}', '', INDEXED),
             _through(index, f'{name} = {many}', '', INDEXED),
             _through(index, f'{name} = {most}', f', {CANDIDATES} ranked',
                      RANKED)]
    if index.form.table == 'item':
        found.append(_through(index, f'{name} = {most}',
                              f', {CANDIDATES} to dlints_recommend',
                              RECOMMENDED, judged=RANKED))
    return found


def _through(index, setting, then, statement, **settings):
    """Return a way through an index."""
    name = f'{index.method} {index.form.name}: {setting.split(".")[1]}{then}'
    return Way(name, index.form, statement, 'using nearest', setting,
               **settings)
