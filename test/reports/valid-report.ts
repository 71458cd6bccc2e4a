/** What is true of every report that is read, however hostile its file. */
import { expect } from 'vitest';
import * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, spec, title } from '#shared/model/names.ts';
import type { ParsedFile } from '#shared/reports/report.ts';

const Text = z.string().refine((text) => text.isWellFormed());
const Duration = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
const Outcome = z.enum(['passed', 'failed', 'pending', 'skipped']);
const Status = Text.min(1).max(MODEL_LIMITS.idCharacters);
const AttemptShape = z.object({
  state: Outcome,
  rawStatus: Status,
  duration: Duration,
  startedAt: z.number().nullable(),
  errors: z.array(z.object({ message: Text.min(1), stack: Text.nullable() })),
});
/** The shape of the instances that recording accepts. */
const InstanceShape = z.object({
  groupId: id,
  spec,
  tests: z.array(
    z.object({
      testId: id,
      title,
      outcome: Outcome,
      expectedStatus: Status,
      annotations: z.array(z.object({ type: Text, description: Text.nullable() })),
      tags: z.array(Text),
      attempts: z.array(AttemptShape).min(1).max(MODEL_LIMITS.attemptsPerTest),
    }),
  ),
});

export function checkReport({ instances }: Pick<ParsedFile, 'instances'>): void {
  for (const instance of instances) {
    const { tests } = InstanceShape.parse(instance);
    expect(new Set(tests.map(({ testId }) => testId)).size).toBe(tests.length);
  }
  const names = instances.map(({ groupId, spec: path }) => JSON.stringify([groupId, path]));
  expect(new Set(names).size).toBe(names.length);
}

const REFUSALS = [400, 413];

/** `undefined` for a file that is refused as the sender's mistake. */
export async function readOrRefuse(read: () => Promise<ParsedFile[]>): Promise<ParsedFile[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(REFUSALS).toContain(error.statusCode);
    return undefined;
  }
}
