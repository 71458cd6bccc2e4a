/** Random table items for property tests: files of tests and instances. */
import fc from 'fast-check';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { type ShownFiles, toShownFile } from '#shared/model/results/shown-files.ts';
import { count, expiring, expiry, hex, owner, text, textOrNull, time, withSome } from './any-value.ts';

const instanceId = hex(32);

export const artifact: fc.Arbitrary<Artifact> = withSome(
  fc.record({
    ...owner,
    instanceId,
    artifactId: text,
    objectName: hex(32),
    type: fc.constantFrom('attachment', 'coverage', 'screenshot', 'stdout', 'trace', 'video'),
    name: text,
    fileName: textOrNull,
    contentType: text,
    createdAt: time,
    expiry: expiry.map(({ evidence, files }) => ({ evidence, files })),
  }),
  { testId: text, attempt: count, bytes: count },
);

const file = artifact.map((known) => toShownFile(known));

export const shown: fc.Arbitrary<ShownFiles> = withSome(
  fc.record({
    ...owner,
    ...expiring,
    instanceId,
    pictures: fc.dictionary(hex(32), file, { maxKeys: 3, noNullPrototype: true }),
    traces: fc.dictionary(hex(32), count, { maxKeys: 3, noNullPrototype: true }),
  }),
  { video: fc.tuple(file, hex(32)).map(([known, o]) => ({ ...known, o })) },
);
