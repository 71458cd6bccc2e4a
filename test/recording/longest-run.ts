/** Generates runs with the longest accepted texts, and checks that their rows fit into the table. */
import { expect } from 'vitest';
import { bytesOf, longText, longTexts } from '#test/harness/long-texts.ts';
import { suiteGroup } from '#test/harness/recording-messages.ts';
import type { service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

type Stage = Awaited<ReturnType<typeof service>>;
export type Bytes = 1 | 3;

export const DYNAMODB_ITEM_BYTES = 400 * 1024;

/**
 * Checks that every row of the run is at least 4 KB smaller than DynamoDB's item limit. Without `runId`, checks the
 * rows of all runs in the table.
 */
export async function expectRoom(stage: Stage, runId = '') {
  const rows = await itemsWith(stage.environment, runId);
  expect(rows).not.toEqual([]);
  for (const row of rows) expect(bytesOf(row), `${row['pk']} ${row['sk']}`).toBeLessThan(DYNAMODB_ITEM_BYTES - 4096);
}

const commit = (bytes: Bytes) => {
  const text = (name: string) => longText(name, 1024, bytes);
  const event = ['headRef', 'headSha', 'baseRef', 'baseSha', 'issueUrl', 'htmlUrl', 'prTitle', 'senderAvatarUrl'];
  const names = ['sha', 'branch', 'authorName', 'authorEmail', 'remoteOrigin', 'defaultBranch'];
  const textsOf = (all: string[]) => Object.fromEntries(all.map((name) => [name, text(name)]));
  return { ...textsOf(names), message: longText('message', 16_384, bytes), ghaEventData: textsOf(event) };
};

/** Generates groups of one spec file each, with the longest accepted texts. */
export function longestSuite(groups: number, tags: number, bytes: Bytes) {
  // A request contains the name of the spec file once per test, so the name must be shorter if there are many groups.
  // Otherwise, the request would exceed the body limit.
  const specCharacters = groups > 100 ? 100 : 1000;
  return Array.from({ length: groups }, (_, index) => {
    const name = longText(`group ${index}`, 256, bytes);
    const environment = longText(`environment ${index}`, 256, bytes);
    const spec = longText(`spec ${index}`, specCharacters, bytes).replaceAll(' > ', '   ');
    return suiteGroup(name, [`${spec} > sums`], { tags: longTexts(`tag ${index}`, tags, 128, bytes), environment });
  });
}

export const longestRun = (bytes: Bytes) => ({
  commit: commit(bytes),
  tags: longTexts('run', 100, 128, bytes),
  ciBuildId: longText('build', 256, bytes),
  platform: { osName: longText('os', 256, bytes), osVersion: longText('os version', 256, bytes) },
  browser: { name: longText('browser', 256, bytes), version: longText('browser version', 256, bytes) },
});

export const testOf = ({ tests }: { readonly tests: readonly { readonly spec: string }[] }): string =>
  `${tests[0]?.spec} > sums`;
