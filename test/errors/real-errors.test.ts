import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { classifyError } from '#shared/errors/classify.ts';

const FOLDER = join(import.meta.dirname, '../samples/errors');

interface Sample {
  readonly framework: string;
  readonly version: string;
  readonly errors: readonly {
    readonly name?: string;
    readonly message: string;
    readonly expected: readonly unknown[];
  }[];
}

const SAMPLES = readdirSync(FOLDER).map((file): [string, Sample] => [
  file,
  JSON.parse(readFileSync(join(FOLDER, file), 'utf8')),
]);

describe('Real error messages of frameworks', () => {
  test.each(SAMPLES)('Real error messages get the classification that people chose for them: %s', (_, { errors }) => {
    for (const { expected, ...error } of errors) {
      const { category, action, target, message } = classifyError(error);
      expect({ error, is: [category, action, target, message] }).toEqual({ error, is: expected });
    }
    expect(errors.length).toBeGreaterThan(25);
  });

  test('There are at least 300 real error messages, and none contains a path of the machine that recorded it', () => {
    const all = SAMPLES.flatMap(([, { errors }]) => errors);
    expect(all.filter(({ message }) => /\/(?:root|Users|work)\/|\/home\/(?!ci\/)/.test(message))).toEqual([]);
    expect(all.length).toBeGreaterThanOrEqual(300);
  });

  test('Real error messages are counted together only if they have the same action', () => {
    const byFingerprint = Map.groupBy(
      SAMPLES.flatMap(([, { errors }]) => errors).map((error) => classifyError(error)),
      ({ fingerprint }) => fingerprint,
    );
    const mixed = [...byFingerprint.values()].filter((same) => new Set(same.map(({ action }) => action)).size > 1);
    expect(mixed).toEqual([]);
    expect(byFingerprint.size).toBeGreaterThan(250);
  });
});
