#!/bin/sh
# Prolog= of slurm.conf, run as root on each node before a job. A node whose GPU torch cannot use is drained (exit 1)
# before the job starts there; a question that could not be answered never drains a node.
doctor=${TORCHDOCTOR:-/opt/torchdoctor/bin/torchdoctor}
python=${TORCHDOCTOR_PYTHON:-/opt/torch/bin/python}
[ -n "$SLURM_JOB_GPUS" ] || exit 0
said=$("$doctor" check --python "$python" --require cuda --timeout 20 --quiet 2>&1)
case $? in
    0) exit 0 ;;
    1) case $said in
           *"? UNKNOWN"*) logger -t torchdoctor "$said" 2>/dev/null; exit 0 ;;  # --require: not sure is not met
       esac
       echo "print torchdoctor: $said"; exit 1 ;;
    *) logger -t torchdoctor "$said" 2>/dev/null; exit 0 ;;
esac
