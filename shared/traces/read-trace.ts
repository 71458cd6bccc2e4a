/** What the browser said and asked for while a test ran (§2.4 `traceErrorAnalysis`), out of Playwright's `trace.zip`. */
import type { TraceErrorAnalysis } from '../resources/evidence.ts';
import { Allowance } from './allowance.ts';
import { ByteReader } from './byte-reader.ts';
import { EventReader, type TraceOmissions } from './event-reader.ts';
import { inflated } from './inflated.ts';
import { LineSplitter } from './line-splitter.ts';
import { Refusal, type RefusalReason } from './refusal.ts';
import { entriesOf } from './zip-entries.ts';

export type TraceReading =
  | { readonly kind: 'read'; readonly analysis: TraceErrorAnalysis; readonly omitted: TraceOmissions }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** Playwright writes them without a folder: `trace.trace`, `0-trace.network`, `test.trace`. */
const EVENT_FILE = /^([^/]{1,200})\.(?:trace|network)$/;

/**
 * Reads a trace as its bytes arrive, within `LIMITS.trace`, whatever the file holds. Times in the answer are epoch
 * milliseconds: wall time of the beginning of each recording, plus the monotonic time since. `now` counts milliseconds.
 * Throws what `chunks` throws, and nothing else.
 */
export async function readTrace(chunks: AsyncIterable<Uint8Array>, now: () => number): Promise<TraceReading> {
  const allowance = new Allowance(now);
  const bytes = new ByteReader(chunks, allowance);
  try {
    return { kind: 'read', ...(await readEvents(bytes, allowance)) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', reason: error.reason, detail: error.message };
    throw error;
  } finally {
    await bytes.close();
  }
}

async function readEvents(bytes: ByteReader, allowance: Allowance) {
  const events = new EventReader();
  const seen = new Set<string>();
  for await (const entry of entriesOf(bytes)) {
    const recording = EVENT_FILE.exec(entry.name)?.[1];
    // Of files with one name Playwright keeps the first, when it merges recordings.
    if (recording === undefined || seen.has(entry.name)) continue;
    seen.add(entry.name);
    const lines = new LineSplitter((line, isWhole) => events.read(recording, line, isWhole));
    for await (const part of inflated(entry, allowance)) lines.push(part);
    lines.end();
  }
  return events.result();
}
