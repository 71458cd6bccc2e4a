/** Random table items for property tests: evidence of tests, trace analyses and failures. */
import fc from 'fast-check';
import { type EvidencePart, splitEvidence, type TraceAnalysis } from '#shared/model/results/evidence.ts';
import { type Failure, MARKS } from '#shared/model/results/failures.ts';
import { count, expiring, hex, text, time } from './any-value.ts';

const instanceId = hex(32);
const organizationId = hex(16);

/** Steps and output of attempts, as the service stores them. */
const evidence = fc.array(
  fc.record({
    steps: fc.array(
      fc.record({ title: text, category: text, duration: time, error: fc.constant(null), steps: fc.constant([]) }),
      { maxLength: 3 },
    ),
    stdout: fc.array(text, { maxLength: 3 }),
    stderr: fc.array(text, { maxLength: 3 }),
  }),
  { maxLength: 3 },
);

export const evidencePart: fc.Arbitrary<EvidencePart> = fc
  .tuple(fc.record({ organizationId, instanceId, testKey: hex(12), ...expiring }), evidence, count)
  .map(([key, attempts, version]) => splitEvidence(key, attempts, version)[0])
  .map((part) => part && { ...part, bytes: new Uint8Array(part.bytes) })
  .filter((part) => part !== undefined);

export const traceAnalysis: fc.Arbitrary<TraceAnalysis> = fc.record({
  organizationId,
  instanceId,
  testKey: hex(12),
  ...expiring,
  attempt: count,
  analysis: fc.record({
    consoleEntries: fc.array(
      fc.record({
        time,
        messageType: text,
        text,
        location: fc.record({ url: text, lineNumber: count, columnNumber: count }),
      }),
      { maxLength: 3 },
    ),
    networkRequests: fc.array(fc.record({ time, url: text, status: count, method: text }), { maxLength: 3 }),
  }),
});

export const failure: fc.Arbitrary<Failure> = fc
  .record({
    organizationId,
    instanceId,
    testKey: hex(12),
    mark: fc.constantFrom(...MARKS),
    groupId: text,
    spec: text,
    traits: fc.option(fc.array(text, { maxLength: 5 }), { nil: undefined }),
    ...expiring,
  })
  .map((known) => ({ ...known, runId: known.instanceId.slice(0, 16) }));
