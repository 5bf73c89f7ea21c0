// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.List;
import java.util.stream.Collectors;
import org.sparkgap.topology.Bitmap;

/**
 * The processors of one host's ranks, claimed by the process that starts them.
 *
 * @param places one set for each thread, rank after rank; empty if the ranks are not pinned
 * @param threads of each rank
 */
public record RankCpus(List<Bitmap> places, int threads) {
    public static final RankCpus NONE = new RankCpus(List.of(), 1);

    public RankCpus {
        places = List.copyOf(places);
    }

    boolean bind() {
        return !places.isEmpty();
    }

    /** All processors of a rank, which is counted from the host's first; empty if the ranks are not pinned. */
    public Bitmap of(int rank) {
        return bind() ? ofThreads(rank).stream().reduce(Bitmap.EMPTY, Bitmap::or) : Bitmap.EMPTY;
    }

    /** A place for each thread, in the form of OMP_PLACES: {@code {0,1},{2,3}}. */
    String ompPlaces(int rank) {
        return ofThreads(rank).stream()
                .map(place -> place.stream().mapToObj(Integer::toString).collect(Collectors.joining(",", "{", "}")))
                .collect(Collectors.joining(","));
    }

    private List<Bitmap> ofThreads(int rank) {
        return places.subList(rank * threads, (rank + 1) * threads);
    }
}
