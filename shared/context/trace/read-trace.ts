/** §2.4 `traceErrorAnalysis`: reads the browser's console and network events from Playwright's `trace.zip`. */

import { Allowance } from '#shared/engine/archives/allowance.ts';
import { ByteReader } from '#shared/engine/archives/byte-reader.ts';
import { inflated } from '#shared/engine/archives/inflated.ts';
import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { type RefusalReason, RefusedArchive } from '#shared/engine/archives/refusal.ts';
import { zipEntriesOf } from '#shared/engine/archives/zip-entries.ts';
import type { TraceErrorAnalysis } from '#shared/model/tests/evidence.ts';
import { EventReader, type TraceOmissions } from './event-reader.ts';

export type TraceReading =
  | { readonly kind: 'read'; readonly analysis: TraceErrorAnalysis; readonly omitted: TraceOmissions }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/**
 * The names of event files. Playwright writes event files without a folder: `trace.trace`, `0-trace.network`,
 * `test.trace`.
 */
const EVENT_FILE = /^([^/]{1,200})\.(?:trace|network)$/;

/**
 * Reads a trace as a stream within `ARCHIVE_LIMITS`, whatever it contains. Result times are epoch milliseconds: the
 * wall time at the start of each recording plus its monotonic time. `now` returns milliseconds. Throws only what
 * `chunks` throws.
 */
export async function readTrace(chunks: AsyncIterable<Uint8Array>, now: () => number): Promise<TraceReading> {
  const allowance = new Allowance(now);
  const bytes = new ByteReader(chunks, allowance);
  try {
    return { kind: 'read', ...(await readEvents(bytes, allowance)) };
  } catch (error) {
    if (error instanceof RefusedArchive) return { kind: 'refused', reason: error.reason, detail: error.message };
    throw error;
  } finally {
    await bytes.close();
  }
}

async function readEvents(bytes: ByteReader, allowance: Allowance) {
  const events = new EventReader();
  const seen = new Set<string>();
  for await (const entry of zipEntriesOf(bytes)) {
    const recording = EVENT_FILE.exec(entry.name)?.[1];
    // Playwright keeps the first of two files with the same name when it merges recordings.
    if (recording === undefined || seen.has(entry.name)) continue;
    seen.add(entry.name);
    const lines = new LineSplitter((line, isWhole) => {
      allowance.line();
      events.read(recording, line, isWhole);
    });
    for await (const part of inflated(entry, allowance)) lines.push(part);
    lines.end();
  }
  return events.result();
}
