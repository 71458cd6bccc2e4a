import { describe, expect, test } from 'vitest';
import { expectRunToBe, read } from '#test/harness/recording-readback.ts';
import {
  INHERITED_TAGS,
  isUpload,
  loadRecording,
  loadReport,
  namesFor,
  replay,
} from '#test/harness/recording-replay.ts';
import { countersOf, statsOfReport, testsOfReport } from '#test/harness/recording-report.ts';
import { service } from '#test/harness/service.ts';

/** The replayed run. Tests share it, because they only read it. */
let replayed: ReturnType<typeof replayOnce> | undefined;

async function replayOnce() {
  const tenant = await service();
  const names = namesFor(tenant, 'build-1');
  const entries = (await loadRecording()).filter((entry) => !isUpload(entry));
  await replay(tenant.origin, entries, names);
  return { tenant, runId: names.get('runId') ?? '' };
}

describe('A run of the Playwright reporter', () => {
  test("has the same counts, outcomes, attempts, errors, tags and annotations as Playwright's own report", async () => {
    replayed ??= replayOnce();
    const { tenant, runId } = await replayed;
    const expected = testsOfReport(await loadReport(), INHERITED_TAGS);
    await expectRunToBe(tenant, runId, expected);
  });

  test('has the platform, commit, framework and environment of its machine', async () => {
    replayed ??= replayOnce();
    const { tenant, runId } = await replayed;
    const run = await read(tenant.api, `/runs/${runId}`);
    expect(run).toMatchObject({
      projectId: tenant.projectId,
      tags: ['nightly', 'consumer'],
      cancellation: null,
      timeout: { isTimeout: false },
      meta: {
        ciBuildId: 'build-1',
        title: 'Let traders see net prices',
        pr: null,
        commit: { branch: 'main', authorName: 'Alex Doe', authorEmail: 'alex.doe@example.com' },
        framework: { type: 'pw', version: '1.65.1', clientVersion: '2.5.0' },
      },
      groups: [
        { groupId: 'retail', tags: ['consumer'], environment: 'staging', platform: { osName: 'linux' } },
        { groupId: 'wholesale', tags: [], environment: null, platform: { osName: 'linux' } },
      ],
    });
  });

  test("The expected results of a run of the Playwright reporter add up to Playwright's own statistics", async () => {
    const report = await loadReport();
    const { passes, failures, pending, skipped, flaky } = countersOf(testsOfReport(report, INHERITED_TAGS));
    expect({ expected: passes - flaky, unexpected: failures, flaky, skipped: pending + skipped }).toEqual(
      statsOfReport(report),
    );
    expect({ pending, skipped }).toEqual({ pending: 5, skipped: 3 });
  });
});
