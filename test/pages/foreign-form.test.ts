import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { bind, getPort } from '#infra/local/host/loopback.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { claimedRun } from '#test/recording/operations.ts';

describeInChromium('A form on another port of the same host', () => {
  test('A form on another port of the same host cannot cancel a run, although the browser sends the session cookie of the person', async () => {
    const stage = await service();
    const { runId } = await claimedRun(stage);
    const run = `${stage.origin}/${stage.organizationId}/${stage.projectId}/runs/${runId}`;
    const form = `<form method="post" action="${run}/cancel"><button>Win</button></form>`;
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(form));
    await bind(server, 0);
    onTestFinished(() => void server.close());
    const context = await profile(stage.origin, await signedIn(stage, 'admin'));
    const page = await context.newPage();
    await page.goto(`http://${new URL(stage.origin).hostname}:${getPort(server)}/`);
    const [answer] = await Promise.all([page.waitForResponse(`${run}/cancel`), page.click('button')]);
    expect(answer.status()).toBe(403);
    expect((await answer.request().allHeaders())['cookie']).toContain('session');
    const { body } = await stage.reader.get(`/runs/${runId}`);
    expect(body.data.cancellation ?? null).toBeNull();
  });
});
