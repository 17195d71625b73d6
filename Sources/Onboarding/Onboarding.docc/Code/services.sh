DEV_STACK_REDIRECT=example:/signed-in make devstack
