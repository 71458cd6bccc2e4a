/**
 * Tests the notifications page: setting up, testing, disabling and deleting notifications, and showing the last result.
 * Credentials can be entered, but are never shown.
 */
import { describe, expect, test } from 'vitest';
import type { HostKind } from '#shared/model/events/notification.ts';
import { TOKEN } from '#test/harness/code-host.ts';
import { GithubStandIn, REPOSITORY } from '#test/harness/github.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { deliverEvents, service } from '#test/harness/service.ts';
import { slackStandIn } from '#test/harness/slack.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';
import { ofPull, PLACES, run, STAND_INS } from '#test/notifications/stage.ts';

deliverEvents();

const place = ({ headers }: Shown) => headers.get('location');

async function stage(kind: HostKind = 'github') {
  const here = await service();
  const page = `/${here.organizationId}/${here.projectId}/notifications`;
  const admin = await signedIn(here, 'admin');
  const host = await STAND_INS[kind].start();
  const fields = {
    of: kind,
    repository: PLACES[kind],
    apiUrl: host.url,
    context: 'ci/e2e',
    comments: 'true',
    sendsStatus: 'true',
  };
  const shows = (text: string | RegExp) => expect.poll(async () => (await admin.get(page)).text).toMatch(text);
  return { ...here, page, admin, host, fields, shows };
}

describe('The notifications of a project', () => {
  test('can be created, tested and deleted by an Admin, and the page shows no credential', async () => {
    const { admin, page, host, fields, shows, ...here } = await stage();
    const saved = await admin.post(`${page}/github/host`, { ...fields, credential: TOKEN });
    expect([saved.status, place(saved)]).toEqual([303, page]);
    const tested = await admin.post(`${page}/github/test`, { of: 'github' });
    expect([tested.status, place(tested)]).toEqual([303, page]);
    await shows(
      /Sends ?commit statuses and comments on pull requests.*delivered test.*The token has access to the repository/s,
    );
    await run(here, 'build', { retail: { tests: { 'a.spec.ts > a': failed() } } }, ofPull(7));
    await shows(/delivered end of a run.*comment on pull request 7/s);
    expect(host.statuses.at(-1)?.name).toBe('ci/e2e');
    const shown = await admin.get(page);
    expect(shown.html).toContain(REPOSITORY);
    expect(shown.html).not.toContain(TOKEN);
    const question = await admin.get(`${page}/github/delete`);
    expect(question.text).toContain('Delete the notification to GitHub?');
    await admin.post(`${page}/github/delete`);
    expect((await admin.get(page)).text).not.toContain('Last result');
  });

  test('can go to GitLab, and are saved and tested on the same page as those to GitHub', async () => {
    const { admin, page, fields, shows } = await stage('gitlab');
    await admin.post(`${page}/gitlab/host`, { ...fields, credential: TOKEN });
    await admin.post(`${page}/gitlab/test`, { of: 'gitlab' });
    await shows(/Project ?acme\/web\/shop.*delivered test.*The token has access to the project/s);
    const refused = await admin.post(`${page}/gitlab/host`, { ...fields, repository: 'shop', credential: TOKEN });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('such as acme/web/shop')]);
  });

  test('If Slack refuses the notifications of a project, they are disabled, the page shows why, and an Admin can enable them again', async () => {
    const { admin, page, shows } = await stage();
    const slack = await slackStandIn();
    await admin.post(`${page}/slack/channel`, { of: 'slack', runs: 'all', credential: slack.address });
    await shows(/Sends ?all runs, on all branches/);
    slack.answerWith({ status: 404, text: 'no_service' });
    await admin.post(`${page}/slack/test`, { of: 'slack' });
    await shows(/disabled Slack: no messages are accepted at this address \(404 no_service\)/);
    expect((await admin.get(page)).html).not.toContain('/services/T0');
    await admin.post(`${page}/slack/enabled`, { of: 'slack', enabled: 'true' });
    await shows(/enabled/);
    const again = await admin.post(`${page}/slack/channel`, {
      of: 'slack',
      runs: 'failed',
      branches: ' main,release/* ',
      credential: '',
    });
    expect(again.status).toBe(303);
    await shows(/Sends ?failed runs, on main, release\/\*/);
  });

  test('A channel that is saved switched off can be sent a test, and hears of no run', async () => {
    const { admin, page, shows, ...here } = await stage();
    const [off, on] = [await slackStandIn(), await slackStandIn()];
    const fields = { runs: 'all', branches: '' };
    const silent = { ...fields, of: 'slack', credential: off.address, staysOff: 'true' };
    expect((await admin.post(`${page}/slack/channel`, silent)).status).toBe(303);
    await admin.post(`${page}/slack-2/channel`, { ...fields, of: 'slack-2', credential: on.address });
    await admin.post(`${page}/slack/test`, { of: 'slack' });
    await shows(/disabled by a person.*delivered test/s);
    await run(here, 'build', { retail: { tests: { 'a.spec.ts > a': failed() } } });
    await expect.poll(() => on.texts().length).toBe(1);
    expect(off.texts()).toEqual([expect.stringContaining('can reach this channel')]);
  });

  test('An Admin connects a second channel of one kind, and deletes the first without the second', async () => {
    const { admin, page, shows } = await stage();
    const [first, second] = [await slackStandIn(), await slackStandIn()];
    expect((await admin.get(page)).html).not.toContain('id="slack-2"');
    await admin.post(`${page}/slack/channel`, { of: 'slack', runs: 'all', branches: '', credential: first.address });
    const fields = { of: 'slack-2', runs: 'failed', branches: 'main', credential: second.address };
    expect((await admin.post(`${page}/slack-2/channel`, fields)).status).toBe(303);
    await shows(/Configure Slack \(2\).*Connect Slack \(3\)/s);
    await admin.post(`${page}/slack-2/test`, { of: 'slack-2' });
    await expect.poll(() => second.texts().length).toBe(1);
    expect(first.texts()).toEqual([]);
    expect((await admin.post(`${page}/slack/delete`, {})).status).toBe(303);
    await shows(/Connect Slack(?! \().*Configure Slack \(2\)/s);
    expect((await admin.post(`${page}/teams-4/channel`, { ...fields, of: 'teams-4' })).status).toBe(400);
  });

  test('The form of the notifications keeps the entered settings after a refusal, except the credential', async () => {
    const { admin, page, fields } = await stage();
    const refused = await admin.post(`${page}/github/host`, { ...fields, repository: 'shop<b>', credential: TOKEN });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('such as acme/shop');
    expect(refused.html).toContain('shop&lt;b&gt;');
    expect(refused.html).not.toContain(TOKEN);
  });

  test('require the token again when the repository or the API address changes', async () => {
    const { admin, page, fields, host } = await stage();
    await admin.post(`${page}/github/host`, { ...fields, credential: TOKEN });
    const other = await GithubStandIn.start();
    const moves = [{ apiUrl: other.url }, { repository: 'acme/payments' }, { repository: 'acme-2/shop' }];
    for (const move of moves) {
      const moved = await admin.post(`${page}/github/host`, { ...fields, ...move, credential: '' });
      expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('Enter the token again')]);
    }
    await admin.post(`${page}/github/test`, { of: 'github' });
    expect(other.received).toEqual([]);
    expect(host.received.every(({ path }) => path.includes(`/${REPOSITORY}`))).toBe(true);
    const kept = { ...fields, repository: REPOSITORY.toUpperCase(), context: 'ci/other', comments: '' };
    expect((await admin.post(`${page}/github/host`, { ...kept, credential: '' })).status).toBe(303);
    const given = await admin.post(`${page}/github/host`, { ...fields, ...moves[1], credential: 'ghs_payments' });
    expect(given.status).toBe(303);
  });

  test('A form changes only the notifications of the service in its URL, such as Slack or GitHub, even if a field names another service', async () => {
    const { admin, page, fields } = await stage();
    const slack = await slackStandIn();
    await admin.post(`${page}/github/host`, { ...fields, credential: TOKEN });
    await admin.post(`${page}/slack/channel`, { of: 'slack', runs: 'all', credential: slack.address });
    await admin.post(`${page}/github/enabled`, { of: 'slack', enabled: 'false' });
    await admin.post(`${page}/slack/delete`);
    const { text } = await admin.get(page);
    expect(text).toContain('Enable GitHub');
    expect(text).not.toContain('Delete Slack');
    expect((await admin.post(`${page}/pigeons/delete`)).status).toBe(400);
    expect((await admin.get(page)).text).toContain('Delete GitHub');
  });
});
