import { describe, expect, test } from 'vitest';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { type CleanUp, cleanUpTokens } from '#shared/organizations/clean-up-tokens.ts';
import type { CoreServices } from '#shared/services.ts';
import { ownTable } from '#test/harness/own-table.ts';
import { deadTokens, emptyOrganizations, once, recorded } from './many-tokens.ts';

const UNTIL_DONE = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };
const run = (services: CoreServices): Promise<CleanUp> => cleanUpTokens(services, UNTIL_DONE);

/**
 * Runs the clean-up with a time limit that it reaches after this many pages. A page holds up to 100 tokens of one
 * organization. An organization without tokens takes one page.
 */
function runFor(services: CoreServices, pages: number): Promise<CleanUp> {
  let left = pages;
  const remainingMilliseconds = () => {
    left -= 1;
    return left >= 0 ? 15_000 : 14_999;
  };
  return cleanUpTokens(services, { remainingMilliseconds });
}

const checkpoint = ({ table }: CoreServices) =>
  table.get(checkpoints, { work: 'clean-up-tokens' }, { consistent: true });

describe('§5.2 A clean-up run', () => {
  test('A clean-up run checks every token of every organization, across pages', async () => {
    const { services } = await ownTable();
    const [first = '', ...others] = await emptyOrganizations(services, 101);
    await deadTokens(services, first, 201);
    await deadTokens(services, `${others.at(-1)}`, 1);
    expect(await run(services)).toEqual({ organizations: 101, tokens: 202, revoked: 202, finished: true });
    expect(await recorded(services, first)).toEqual(once(201));
  });

  test('A repeated clean-up run writes nothing', async () => {
    const { services } = await ownTable();
    const [only = ''] = await emptyOrganizations(services, 1);
    await deadTokens(services, only, 101);
    await run(services);
    const table = services.table.metered();
    const again = await run({ ...services, table });
    expect(again).toEqual({ organizations: 1, tokens: 101, revoked: 0, finished: true });
    expect(table.meter.writeUnits).toBe(0);
  });

  test('A clean-up run reports its progress after each page', async () => {
    const { services } = await ownTable();
    const [only = ''] = await emptyOrganizations(services, 1);
    await deadTokens(services, only, 101);
    const progress: CleanUp[] = [];
    await cleanUpTokens(services, { ...UNTIL_DONE, onProgress: (soFar) => progress.push(soFar) });
    expect(progress.map(({ tokens, revoked, finished }) => ({ tokens, revoked, finished }))).toEqual([
      { tokens: 100, revoked: 100, finished: false },
      { tokens: 101, revoked: 101, finished: false },
    ]);
  });

  test('Overlapping clean-up runs revoke each token once, with one audit record', async () => {
    const { services } = await ownTable();
    const [only = ''] = await emptyOrganizations(services, 1);
    await deadTokens(services, only, 15);
    const runs = await Promise.all([run(services), run(services), run(services)]);
    expect(runs.reduce((sum, { revoked }) => sum + revoked, 0)).toBe(15);
    expect(await recorded(services, only)).toEqual(once(15));
  });

  test('A clean-up run on an empty table finishes immediately', async () => {
    const { services } = await ownTable();
    expect(await run(services)).toEqual({ organizations: 0, tokens: 0, revoked: 0, finished: true });
  });
});

describe('§5.2 A clean-up run that is killed', () => {
  test('After a clean-up run is killed, the next run continues at the last checkpoint, even with more than a thousand organizations', async () => {
    const { services } = await ownTable();
    const all = await emptyOrganizations(services, 1010);
    await deadTokens(services, `${all.at(-1)}`, 1);
    const onProgress = ({ organizations }: CleanUp) => {
      if (organizations === 1005) throw new Error('The process has died');
    };
    await expect(cleanUpTokens(services, { ...UNTIL_DONE, onProgress })).rejects.toThrow('has died');
    expect(await checkpoint(services)).toMatchObject({ position: expect.stringMatching(/#organization-999$/) });
    expect(await runFor(services, 10)).toEqual({ organizations: 10, tokens: 1, revoked: 1, finished: false });
  });
});

describe('§5.2 A clean-up run at its time limit', () => {
  test('A clean-up run that reaches its time limit reports that it did not finish, and later runs reach every organization', async () => {
    const { services } = await ownTable();
    const all = await emptyOrganizations(services, 7);
    for (const one of all) await deadTokens(services, one, 1);
    const reports: CleanUp[] = [];
    for (let runs = 0; runs < 4; runs += 1) reports.push(await runFor(services, 2));
    expect(reports).toEqual([2, 2, 2, 1].map((revoked) => ({ organizations: 2, tokens: 2, revoked, finished: false })));
    for (const one of all) expect(await recorded(services, one)).toEqual(once(1));
  });

  test('After a clean-up run that stopped in the middle of an organization, the next run does not repeat the finished pages', async () => {
    const { services } = await ownTable();
    const [only = ''] = await emptyOrganizations(services, 1);
    await deadTokens(services, only, 201);
    expect(await runFor(services, 1)).toEqual({ organizations: 0, tokens: 100, revoked: 100, finished: false });
    expect(await run(services)).toEqual({ organizations: 1, tokens: 201, revoked: 101, finished: true });
    expect(await recorded(services, only)).toEqual(once(201));
  });

  test('A clean-up run that reaches its time limit right after the last organization counts as finished', async () => {
    const { services } = await ownTable();
    await emptyOrganizations(services, 3);
    expect(await runFor(services, 3)).toMatchObject({ organizations: 3, finished: true });
  });

  test('A clean-up run that reaches its time limit leaves a checkpoint, and the run that checks the last organization removes it', async () => {
    const { services } = await ownTable();
    const [first = '', , , , last = ''] = await emptyOrganizations(services, 5);
    expect(await runFor(services, 3)).toMatchObject({ organizations: 3, finished: false });
    expect(await checkpoint(services)).toMatchObject({ position: expect.stringMatching(/#organization-2$/) });
    for (const one of [first, last]) await deadTokens(services, one, 1);
    expect(await run(services)).toEqual({ organizations: 5, tokens: 2, revoked: 2, finished: true });
    expect(await checkpoint(services)).toBeUndefined();
  });
});
