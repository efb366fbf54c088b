/*
 * neighbours.c
 *		Predict clicks on an item from clicks on the most similar items, by ridge regression.
 */
#include "neighbours.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "numbers.h"
#include "random.h"

/* Number of matrix elements that are processed between two calls of pause() */
#define CELLS			4096

/* Number of users whose rows are loaded ahead into the CPU's cache */
#define USERS_AHEAD		4

/* Mean clicks per item below which we use NEIGHBOURS_MANY (CiteULike has 12, Last.fm has 25) */
#define MAX_SPARSE_CLICKS	16

/*
 * Number of conjugate gradient steps, for fewer than NEIGHBOURS_MANY neighbours and for at least
 * NEIGHBOURS_MANY.  In tests with NEIGHBOURS_FEW neighbours, recommendations were worse after two
 * steps, and no better after ten.
 */
#define STEPS_FEW		4
#define STEPS_MANY		10

/* Minimum matrix element; smaller elements are ignored, so that products do not underflow */
#define MIN_ELEMENT		1e-6

/* Limit the matrix elements to 1, and sample the items of very active users. */
void
neighbours_limit(SvdMatrix *matrix)
{
	size_t		used = 0;
	size_t		start = 0;

	for (uint32_t user = 0; user < matrix->users; user++)
	{
		size_t		end = matrix->starts[user + 1];
		size_t		count = end - start;
		size_t		i;

		matrix->starts[user] = used;
		for (i = start; i < end; i++)
		{
			SvdCell		cell = matrix->cells[i];

			if (cell.weight < MIN_ELEMENT ||
				(count > NEIGHBOURS_MAX_CLICKS &&
				 random_bits(cell.item, user) % count >= NEIGHBOURS_MAX_CLICKS))
				continue;
			cell.weight = fmin(cell.weight, 1.0);
			matrix->cells[used++] = cell;
		}
		start = end;
		matrix->pause();
	}
	matrix->starts[matrix->users] = used;
}

/* Use more neighbours if items have few clicks, but many related items. */
void
neighbours_adapt(const SvdMatrix *matrix, Neighbours *n)
{
	double		related = 0.0;	/* number of pairs of clicked items, summed over users */

	if (matrix->items > NEIGHBOURS_MANY_ITEMS ||
		matrix->starts[matrix->users] >= MAX_SPARSE_CLICKS * (size_t) matrix->items)
		return;
	for (uint32_t user = 0; user < matrix->users; user++)
	{
		double		count = (double) (matrix->starts[user + 1] - matrix->starts[user]);

		related += count * count;
	}
	if (related > 2.0 * NEIGHBOURS_MANY * matrix->items)
		n->k = NEIGHBOURS_MANY;
}

/* Group the matrix elements by item, and compute the squared norms of columns. */
void
neighbours_index(const SvdMatrix *matrix, Neighbours *n)
{
	uint32_t	item;

	memset(n->starts, 0, sizeof(size_t) * ((size_t) matrix->items + 1));
	memset(n->squares, 0, sizeof(double) * matrix->items);
	memset(n->products, 0, sizeof(double) * matrix->items);
	memset(n->heads, 0, sizeof(size_t) * matrix->users);

	/* count elements at starts[item + 2], so that starts[item + 1] becomes the write position */
	for (uint32_t user = 0; user < matrix->users; user++)
	{
		for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			if (matrix->cells[i].item + 2 <= matrix->items)
				n->starts[matrix->cells[i].item + 2]++;
		matrix->pause();
	}
	for (item = 2; item <= matrix->items; item++)
		n->starts[item] += n->starts[item - 1];
	for (uint32_t user = 0; user < matrix->users; user++)
	{
		for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
		{
			const SvdCell *cell = &matrix->cells[i];
			NeighbourUse *use = &n->uses[n->starts[cell->item + 1]++];

			use->user = user;
			use->weight = (float) cell->weight;
			n->squares[cell->item] += cell->weight * cell->weight;
		}
		matrix->pause();
	}
}

static void
prefetch_cells(const SvdMatrix *matrix, uint32_t user)
{
	for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1];
		 i += CACHE_LINE / sizeof(SvdCell))
		PREFETCH(&matrix->cells[i]);
}

/* Compute the dot products of an item's column with all columns.  Returns how many are not 0. */
static uint32_t
multiply_column(const SvdMatrix *matrix, Neighbours *n, uint32_t item)
{
	uint32_t	count = 0;
	size_t		walked = 0;

	for (size_t u = n->starts[item]; u < n->starts[item + 1]; u++)
	{
		const NeighbourUse *use = &n->uses[u];
		size_t		end = matrix->starts[use->user + 1];

		if (u + USERS_AHEAD < n->starts[item + 1])
			prefetch_cells(matrix, n->uses[u + USERS_AHEAD].user);
		for (size_t i = matrix->starts[use->user]; i < end; i++)
		{
			const SvdCell *cell = &matrix->cells[i];

			if (n->products[cell->item] == 0.0)
				n->touched[count++] = cell->item;
			n->products[cell->item] += use->weight * cell->weight;
		}
		walked += end - matrix->starts[use->user];
		if (walked >= CELLS)
		{
			matrix->pause();
			walked = 0;
		}
	}
	return count;
}

/* ---------- cached products ---------- */

static bool
is_popular(const Neighbours *n, uint32_t item)
{
	return n->ranks[item] < NEIGHBOURS_POPULAR;
}

/* Return the cache entry for the dot product of two popular items' columns. */
static double *
popular_at(Neighbours *n, uint32_t a, uint32_t b)
{
	size_t		row = n->ranks[a] > n->ranks[b] ? n->ranks[a] : n->ranks[b];
	size_t		column = n->ranks[a] > n->ranks[b] ? n->ranks[b] : n->ranks[a];

	return &n->popular[row * (row + 1) / 2 + column];
}

size_t
neighbours_popular_len(uint32_t items)
{
	size_t		count = items < NEIGHBOURS_POPULAR ? items : NEIGHBOURS_POPULAR;

	return count * (count + 1) / 2;
}

/* Choose the popular items, and clear the cache of their dot products. */
static void
rank_items(const SvdMatrix *matrix, Neighbours *n)
{
	int		   *order = (int *) n->touched;

	for (uint32_t item = 0; item < matrix->items; item++)
	{
		order[item] = (int) item;
		n->products[item] = -n->squares[item];
		n->ranks[item] = NEIGHBOURS_POPULAR;
	}
	select_smallest(n->products, (int) matrix->items, order, NEIGHBOURS_POPULAR);
	for (uint32_t rank = 0; rank < NEIGHBOURS_POPULAR && rank < matrix->items; rank++)
		n->ranks[order[rank]] = rank;
	memset(n->products, 0, sizeof(double) * matrix->items);
	memset(n->popular, 0, sizeof(double) * neighbours_popular_len(matrix->items));
}

/* Store the dot products of a popular item with other popular items in the cache. */
static void
cache_products(Neighbours *n, uint32_t item, uint32_t touched)
{
	for (uint32_t t = 0; t < touched; t++)
		if (is_popular(n, n->touched[t]))
			*popular_at(n, item, n->touched[t]) = n->products[n->touched[t]];
}

/* ---------- ridge regression ---------- */

/* Does an item rank before the other by cosine?  Item numbers break ties. */
static bool
is_nearer(double cosine, uint32_t item, double other_cosine, uint32_t other)
{
	return cosine > other_cosine || (cosine == other_cosine && item < other);
}

/*
 * Choose the k items with the largest cosines to an item, in descending order.  Returns their
 * number.  Writes their dot products with the item as weights, and clears n->products.
 */
static uint32_t
choose_nearest(Neighbours *n, uint32_t item, uint32_t touched, Neighbour *chosen)
{
	uint32_t	count = 0;
	uint32_t	c;
	double		least = 0.0;	/* minimum squared cosine */

	for (uint32_t t = 0; t < touched; t++)
	{
		uint32_t	other = n->touched[t];
		double		product = n->products[other];
		double		cosine;

		n->products[other] = 0.0;
		if (other == item || product * product < least * n->squares[other])
			continue;
		cosine = product / sqrt(n->squares[other]);
		if (count == (uint32_t) n->k)
		{
			if (!is_nearer(cosine, other, n->cosines[count - 1], chosen[count - 1].item))
				continue;
			count--;
		}
		for (c = count;
			 c > 0 && is_nearer(cosine, other, n->cosines[c - 1], chosen[c - 1].item); c--)
		{
			n->cosines[c] = n->cosines[c - 1];
			chosen[c] = chosen[c - 1];
		}
		n->cosines[c] = cosine;
		chosen[c].weight = (float) product;
		chosen[c].item = other;
		count++;
		if (count == (uint32_t) n->k)
			least = 0.999 * n->cosines[count - 1] * n->cosines[count - 1];
	}
	return count;
}

/* Add the dot products of an item with the items of the linked lists (see list_uses) to "row". */
static void
add_products(const Neighbours *n, uint32_t item, double *row)
{
	for (size_t u = n->starts[item]; u < n->starts[item + 1]; u++)
	{
		const NeighbourUse *use = &n->uses[u];

		for (size_t other = n->heads[use->user]; other > 0; other = n->nodes[other - 1].next)
			row[n->nodes[other - 1].slot] += (double) use->weight * n->nodes[other - 1].weight;
	}
}

/* Add an item to the linked list of each user who clicked it.  Returns the number of list nodes. */
static size_t
list_uses(Neighbours *n, uint32_t item, int slot, size_t nodes)
{
	for (size_t u = n->starts[item]; u < n->starts[item + 1]; u++)
	{
		NeighbourNode *node = &n->nodes[nodes++];

		node->next = n->heads[n->uses[u].user];
		node->slot = (uint32_t) slot;
		node->weight = n->uses[u].weight;
		n->heads[n->uses[u].user] = nodes;
	}
	return nodes;
}

/* Move popular items to the end of the chosen items.  Returns the number of other items. */
static int
move_popular(const Neighbours *n, int count, Neighbour *chosen)
{
	int			others = 0;

	for (int slot = 0; slot < count; slot++)
		if (!is_popular(n, chosen[slot].item))
		{
			Neighbour	moved = chosen[slot];

			chosen[slot] = chosen[others];
			chosen[others++] = moved;
		}
	return others;
}

/* Compute the Gram matrix of the chosen items' columns, partly from the cache. */
static void
multiply_chosen(const SvdMatrix *matrix, Neighbours *n, int count, Neighbour *chosen)
{
	int			others = move_popular(n, count, chosen);
	size_t		nodes = 0;

	for (int slot = 0; slot < count; slot++)
	{
		uint32_t	item = chosen[slot].item;
		double	   *row = n->gram + (size_t) slot * (size_t) n->k;

		memset(row, 0, sizeof(double) * (size_t) slot);
		for (int other = others; other < slot; other++)
			row[other] = *popular_at(n, item, chosen[other].item);
		row[slot] = n->squares[item];
		if (others > 0)
			add_products(n, item, row);
		if (slot < others)
			nodes = list_uses(n, item, slot, nodes);
		matrix->pause();
	}
	for (int slot = 0; slot < others; slot++)
		for (size_t u = n->starts[chosen[slot].item]; u < n->starts[chosen[slot].item + 1]; u++)
			n->heads[n->uses[u].user] = 0;
}

/* Multiply a vector by the Gram matrix of the chosen items plus the ridge. */
static CPU_CLONES void
multiply_gram(const Neighbours *n, int count, const double *restrict vector,
			  double *restrict product)
{
	for (int i = 0; i < count; i++)
	{
		const double *restrict row = n->gram + (size_t) i * (size_t) n->k;

		product[i] = (row[i] + n->ridge) * vector[i] + dot_double(i, row, vector);
		for (int j = 0; j < i; j++)
			product[j] += row[j] * vector[i];
	}
}

/* Compute the weights of the chosen items by a few steps of preconditioned conjugate gradients. */
static void
solve_chosen(Neighbours *n, int count, Neighbour *chosen)
{
	double	   *residual = n->solution;
	double	   *direction = residual + count;
	double	   *product = direction + count;
	double		previous = INFINITY;
	int			steps = n->k < NEIGHBOURS_MANY ? STEPS_FEW : STEPS_MANY;

	for (int i = 0; i < count; i++)
	{
		residual[i] = chosen[i].weight;
		direction[i] = 0.0;
		chosen[i].weight = 0.0f;
	}
	for (int step = 0; step < steps; step++)
	{
		double		square = 0.0;
		double		curvature = 0.0;
		double		length;

		for (int i = 0; i < count; i++)
			square += residual[i] * residual[i] / (n->gram[i * n->k + i] + n->ridge);
		if (square == 0.0)
			return;
		for (int i = 0; i < count; i++)
			direction[i] = residual[i] / (n->gram[i * n->k + i] + n->ridge) +
				square / previous * direction[i];
		multiply_gram(n, count, direction, product);
		for (int i = 0; i < count; i++)
			curvature += direction[i] * product[i];
		length = square / curvature;
		for (int i = 0; i < count; i++)
		{
			chosen[i].weight += (float) (length * direction[i]);
			residual[i] -= length * product[i];
		}
		previous = square;
	}
}

/*
 * Compute the weights of each item's most similar items.  A first pass chooses the similar items,
 * and caches dot products of popular items.
 */
void
neighbours_fit(const SvdMatrix *matrix, Neighbours *n)
{
	rank_items(matrix, n);
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		uint32_t	touched = multiply_column(matrix, n, item);

		if (is_popular(n, item))
			cache_products(n, item, touched);
		n->counts[item] = choose_nearest(n, item, touched,
										 n->fitted + (size_t) item * (size_t) n->k);
	}
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		Neighbour  *chosen = n->fitted + (size_t) item * (size_t) n->k;

		if (n->counts[item] == 0)
			continue;
		multiply_chosen(matrix, n, (int) n->counts[item], chosen);
		solve_chosen(n, (int) n->counts[item], chosen);
	}
}

/* ---------- transposed weights ---------- */

/* Transpose the sparse matrix of weights between items. */
void
neighbours_transpose(const SvdMatrix *matrix, const Neighbours *n, size_t *starts, Neighbour *rows)
{
	memset(starts, 0, sizeof(size_t) * ((size_t) matrix->items + 1));
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		const Neighbour *fitted = n->fitted + (size_t) item * (size_t) n->k;

		for (uint32_t c = 0; c < n->counts[item]; c++)
			if (fitted[c].item + 2 <= matrix->items)
				starts[fitted[c].item + 2]++;
		matrix->pause();
	}
	for (uint32_t item = 2; item <= matrix->items; item++)
		starts[item] += starts[item - 1];
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		const Neighbour *fitted = n->fitted + (size_t) item * (size_t) n->k;

		for (uint32_t c = 0; c < n->counts[item]; c++)
		{
			Neighbour  *neighbour = &rows[starts[fitted[c].item + 1]++];

			neighbour->item = item;
			neighbour->weight = fitted[c].weight;
		}
		matrix->pause();
	}
}

/* Does a neighbour have a larger absolute weight than another?  Item numbers break ties. */
static bool
is_larger(const Neighbour *a, const Neighbour *b)
{
	float		size = fabsf(a->weight);
	float		other = fabsf(b->weight);

	return size > other || (size == other && a->item < b->item);
}

/*
 * Keep the "max" neighbours with the largest absolute weights, in descending order.  Returns the
 * number of kept neighbours.
 */
uint32_t
neighbours_truncate(uint32_t count, uint32_t max, Neighbour *row)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; max > 0 && i < count; i++)
	{
		Neighbour	next = row[i];
		uint32_t	place;

		if (kept == max && !is_larger(&next, &row[kept - 1]))
			continue;
		if (kept < max)
			kept++;
		for (place = kept - 1; place > 0 && is_larger(&next, &row[place - 1]); place--)
			row[place] = row[place - 1];
		row[place] = next;
	}
	return kept;
}
