/** §2.4 Analyzes an uploaded trace and stores the result with the evidence of its test. */

import { Allowance } from '#shared/engine/archives/allowance.ts';
import { ByteReader } from '#shared/engine/archives/byte-reader.ts';
import { decompressEntry } from '#shared/engine/archives/inflated.ts';
import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { type RefusalReason, RefusedArchive } from '#shared/engine/archives/refusal.ts';
import { readZipEntries } from '#shared/engine/archives/zip-entries.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import { type Artifact, getObjectKey } from '#shared/model/results/artifact.ts';
import { type TraceErrorAnalysis, traceAnalyses } from '#shared/model/results/evidence.ts';
import { shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { toCountedTest } from '#shared/results/outcome.ts';
import type { Services } from '#shared/services.ts';
import { EventReader, type TraceOmissions } from './event-reader.ts';

export interface TraceNote {
  readonly trace: 'read' | 'refused' | 'not needed' | 'gone';
  readonly instanceId: string;
  readonly artifactId: string;
  readonly reason?: string;
  readonly detail?: string;
}

/**
 * Analyzes an uploaded trace. Idempotent. An unreadable or refused file results in a note rather than an error, because
 * a retry would read the same file. Throws only if the file storage or the table cannot be reached.
 */
export async function analyzeTrace(services: Services, artifact: Artifact): Promise<TraceNote> {
  const { instanceId, artifactId, testId, attempt = 0 } = artifact;
  const note = { instanceId, artifactId };
  if (testId === undefined || (await hasPassedClean(services, artifact, deriveTestKey(testId)))) {
    return { trace: 'not needed', ...note };
  }
  const file = await services.artifacts.open(getObjectKey(artifact));
  if (!file) return { trace: 'gone', ...note };
  const reading = await readTrace(file, services.now);
  if (reading.kind === 'refused') return { trace: 'refused', ...note, reason: reading.reason, detail: reading.detail };
  await storeAnalysis(services, artifact, { testKey: deriveTestKey(testId), attempt, reading });
  return { trace: 'read', ...note };
}

/** Such a test needs no analysis. A test that has not ended may still fail. */
async function hasPassedClean(
  { table }: Services,
  { organizationId, instanceId }: Artifact,
  testKey: string,
): Promise<boolean> {
  const record = await table.get(testRecords, { organizationId, instanceId, testKey }, { consistent: true });
  // A test of a batch upload without errors and evidence has no record of its own, unless a rule matched it.
  return !record || (record.done && !shouldStoreEvidence(toCountedTest(record)));
}

async function storeAnalysis(
  { table }: Services,
  { organizationId, instanceId, expiry }: Artifact,
  { testKey, attempt, reading }: { testKey: string; attempt: number; reading: TraceReading & { kind: 'read' } },
): Promise<void> {
  const key = { organizationId, instanceId, testKey, attempt };
  await table.put(traceAnalyses, { ...key, analysis: reading.analysis, expiresAt: expiry.evidence });
}

// §2.4 `traceErrorAnalysis`: reads the browser's console and network events from Playwright's `trace.zip`.

export type TraceReading =
  | { readonly kind: 'read'; readonly analysis: TraceErrorAnalysis; readonly omitted: TraceOmissions }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** Playwright writes event files without a folder: `trace.trace`, `0-trace.network`, `test.trace`. */
const EVENT_FILE = /^([^/]{1,200})\.(?:trace|network)$/;

/**
 * Enforces `ARCHIVE_LIMITS`, whatever the file contains. Times in the result are epoch milliseconds: the wall-clock
 * start of a recording plus the monotonic time since then. `now` returns milliseconds. Throws only errors of `chunks`.
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
  const seenNames = new Set<string>();
  for await (const entry of readZipEntries(bytes)) {
    const recording = EVENT_FILE.exec(entry.name)?.[1];
    // If two files have the same name, only the first is read. Playwright does the same when it merges recordings.
    if (recording === undefined || seenNames.has(entry.name)) continue;
    seenNames.add(entry.name);
    const lines = new LineSplitter((line, isWhole) => {
      allowance.line();
      events.read(recording, line, isWhole);
    });
    for await (const part of decompressEntry(entry, allowance)) lines.push(part);
    lines.end();
  }
  return events.result();
}
