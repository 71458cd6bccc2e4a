/** The gate of a project as a commit status of its own. */
import { describe, expect, test } from 'vitest';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { ofPull, run, runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

const SUMS = 'cart.spec.ts > sums';
const PAYS = 'cart.spec.ts > pays';

const gates = ({ host }: Stage) =>
  host.statuses
    .filter(({ name }) => name === 'rundown/Shop gate')
    .map(({ state, description }) => [state, description]);

const turnOn = ({ api, projectId }: Stage, rules: object) => api.put(`/projects/${projectId}`, rules);

describe('The gate of a commit', () => {
  test('is no status unless the project has a rule', async () => {
    const here = await stage();
    await here.save({ comments: false });
    await runAtOnce(here, 'build', { [SUMS]: failed() });
    await here.settled(2);
    expect(gates(here)).toEqual([]);
  });

  test('names its reasons, links to the run, and becomes green with a later build of the same groups', async () => {
    const here = await stage();
    await here.save({ comments: false });
    await runAtOnce(here, 'base', { [SUMS]: passed(), [PAYS]: passed() });
    await here.settled(2);
    await turnOn(here, { gateNewFailures: true, gateMissingTests: true });
    const { runId } = await runAtOnce(here, 'first', { [SUMS]: failed() }, ofPull(7));
    await here.settled(4);
    expect(gates(here).at(-1)).toEqual(['failure', '1 new failure, 1 missing test']);
    expect(here.host.statuses.at(-1)?.target_url).toContain(`/runs/${runId}`);
    await runAtOnce(here, 'second', { [SUMS]: passed(), [PAYS]: passed() }, ofPull(7));
    await here.settled(6);
    expect(gates(here).at(-1)).toEqual(['success', 'No new failures, no missing tests']);
  });

  test('is red while one build of the commit is, whatever other groups say', async () => {
    const here = await stage();
    await here.save({ comments: false });
    await runAtOnce(here, 'base', { [SUMS]: passed() });
    await here.settled(2);
    await turnOn(here, { gateNewFailures: true });
    await runAtOnce(here, 'unit', { [SUMS]: failed() }, ofPull(7));
    await here.settled(4);
    await run(here, 'e2e', { wholesale: { tests: { [PAYS]: passed() } } }, ofPull(7));
    await here.settled(6);
    expect(gates(here).at(-1)).toEqual(['failure', '1 new failure']);
  });
});
