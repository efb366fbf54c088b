SELECT {s}.rebuild();
