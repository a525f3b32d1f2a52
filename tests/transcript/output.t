# The ending of a file is its format, unless another one is asked for.
$ plansim schedule 1f1b --pp 2 --microbatches 2 -o $T/a.svg && head -c 5 $T/a.svg
<?xml

$ plansim schedule 1f1b --pp 2 --microbatches 2 -o $T/a.html && head -c 15 $T/a.html
<!DOCTYPE html>

$ plansim run pipedream-1f1b -o $T/a.json && head -2 $T/a.json
{
  "schema": "plansim.result/1",

$ plansim schedule 1f1b --pp 2 --microbatches 2 -f csv -o $T/b.svg && head -1 $T/b.svg
rank,stage,chunk,microbatch,op,stream,start_ticks,dur_ticks

$ plansim schedule 1f1b --pp 2 --microbatches 2 --json -o $T/b.svg && head -1 $T/b.svg
{

# Neither an ending of no format nor a dot in a directory's name means anything.
$ plansim schedule 1f1b --pp 2 --microbatches 2 -o $T/a.txt && head -1 $T/a.txt
1f1b, 2 ranks, 2 microbatches: makespan 9 ticks, bubble 3 = 33.3% of the total
$ mkdir $T/d.svg; plansim schedule 1f1b --pp 2 --microbatches 2 -o $T/d.svg/a && head -1 $T/d.svg/a
1f1b, 2 ranks, 2 microbatches: makespan 9 ticks, bubble 3 = 33.3% of the total

$ plansim compare gpt-48-layers-m8 --schedule gpipe,1f1b -o $T/c.svg && head -c 5 $T/c.svg
<?xml

$ plansim compare gpt-48-layers-m8 --schedule gpipe,1f1b -o $T/c.csv
no format "csv" for a comparison; there are text, json, markdown, svg, png
? 3

# Pixels, or where librsvg is missing what they need.
$ plansim run pipedream-1f1b -o $T/a.png 2>$T/why; plansim compare gpt-48-layers-m8 --schedule gpipe -o $T/c.png 2>>$T/why; for x in a c; do if plansim list formats --names | grep -qx png; then head -c 4 $T/$x.png | tail -c 3; else grep -c 'PNG needs librsvg, which is not in this build' $T/why | sed s/2/PNG/ | tr -d '\n'; fi; echo; done
PNG
PNG

# A full disk is named, however long ago the write was that failed.
$ plansim run mt-nlg-530b --quiet --trace /dev/full 2>&1; plansim run pipedream-1f1b -o /dev/full 2>&1; echo $?
/dev/full: cannot write: No space left on device
/dev/full: cannot write: No space left on device
4
