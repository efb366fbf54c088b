/*
 * select.c
 *		Selection of the smallest of many numbers without sorting them.
 */
#include "select.h"

static inline int
is_before(const double *keys, int a, int b)
{
	return keys[a] < keys[b] || (a < b && keys[a] == keys[b]);
}

/* Quickselect with the middle index as the pivot */
void
select_smallest(const double *keys, int count, int *order, int n)
{
	int			first = 0;
	int			last = count - 1;

	while (first < last)
	{
		int			pivot = order[first + (last - first) / 2];
		int			i = first;
		int			j = last;

		while (i <= j)
		{
			while (is_before(keys, order[i], pivot))
				i++;
			while (is_before(keys, pivot, order[j]))
				j--;
			if (i <= j)
			{
				int			swapped = order[i];

				order[i++] = order[j];
				order[j--] = swapped;
			}
		}
		if (n <= j)
			last = j;
		else if (n >= i)
			first = i;
		else
			return;
	}
}
