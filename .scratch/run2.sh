#!/bin/bash
cd /work/p17-writers; export PATH=$PWD/node_modules/node/bin:$PATH
/work/bin/quiet-wait
P=$1; shift
nice -n 2 node node_modules/vitest/vitest.mjs run --project $P --maxWorkers=1 "$@" 2>&1 | grep -v "✓" | tail -${TAILN:-60}
