"""Off-policy estimates, constraints and winners, in simulations."""


def arguments(parser):
    """Add the command line options."""
    parser.add_argument('--quick', action='store_true',
                        help='a tenth of the simulations')
