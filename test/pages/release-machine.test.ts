import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { DONE, SUITE } from '#test/recording/operations.ts';
import { valuesOf } from './form-of.ts';

const MACHINE = 'runner & "1" </b>';

async function stage() {
  const here = await service();
  const run = await startRun(here, SUITE, { machineId: MACHINE });
  const claimed = await claim(here, { ...run, machineId: MACHINE }, 'cart.spec.ts');
  await createRecord(here, claimed, DONE, failed());
  const page = `/${here.organizationId}/${here.projectId}/runs/${run.runId}`;
  const { projectId } = await createProject(here.services, { ...here, name: 'Other', actor: OPERATOR });
  return {
    ...here,
    claimed,
    page,
    reset: `${page}/reset?machine_id=${encodeURIComponent(MACHINE)}`,
    elsewhere: `/${here.organizationId}/${projectId}`,
    member: await signedIn(here, 'member'),
    cart: async () =>
      (await read(here.api, `/runs/${run.runId}`)).specs.find(({ spec }: { spec: string }) => spec === 'cart.spec.ts'),
  };
}

describe('§4.4.3 The spec files of an interrupted machine', () => {
  test('The spec files of an interrupted machine can be released for other machines on the page of the run, after a confirmation', async () => {
    const { member, page, reset, cart } = await stage();
    const shown = await member.get(page);
    const [link = ''] = shown.links.filter((one) => one.includes('/reset?'));
    expect(new URL(link, 'http://localhost').searchParams.get('machine_id')).toBe(MACHINE);
    expect((await member.get(link)).text).toContain(`machine ${MACHINE}?`);
    expect((await cart()).machineId).toBe(MACHINE);
    const answer = await member.post(`${page}/reset`, valuesOf(await member.get(reset)));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, page]);
    expect(await cart()).toMatchObject({ machineId: '', claimedAt: null, results: null });
    expect((await member.get(`${page}/reset`)).status).toBe(404);
  });

  test('The spec files of an interrupted machine are released without an error even if the form is sent repeatedly or in parallel', async () => {
    const { member, page, cart } = await stage();
    const send = () => member.post(`${page}/reset`, { machineId: MACHINE });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await send()).status).toBe(303);
    expect((await cart()).machineId).toBe('');
  });

  test('The spec files of an interrupted machine cannot be released after the end of the run, and the page says why', async () => {
    const { member, page, api, claimed, cart } = await stage();
    await api.put(`/runs/${claimed.runId}/cancel`);
    const refused = await member.post(`${page}/reset`, { machineId: MACHINE });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("This run has ended and can't be changed");
    expect(refused.text).toContain(`machine ${MACHINE}?`);
    expect((await cart()).machineId).toBe(MACHINE);
    expect((await member.get(page)).links.filter((one) => one.includes('/reset?'))).toEqual([]);
  });

  test('The spec files of an interrupted machine cannot be released by a Guest or at the URL of another project', async () => {
    const here = await stage();
    const guest = await signedIn(here, 'guest');
    expect((await guest.get(here.page)).links.filter((one) => one.includes('/reset?'))).toEqual([]);
    expect((await guest.post(`${here.page}/reset`, { machineId: MACHINE })).status).toBe(403);
    const foreign = `${here.elsewhere}/runs/${here.claimed.runId}/reset`;
    expect((await here.member.post(foreign, { machineId: MACHINE })).status).toBe(404);
    expect((await here.member.post(`${here.page}/reset`, {})).status).toBe(404);
    expect((await here.cart()).machineId).toBe(MACHINE);
  });
});

test('A file of a run cannot be opened at the URL of another project', async () => {
  const here = await stage();
  const { instanceId } = here.claimed;
  const announced = { name: 'stdout', artifactId: 'a', type: 'stdout', contentType: 'text/plain' };
  expect((await here.api.post(`@/artifacts/instance/${instanceId}`, announced)).status).toBe(200);
  const rows = await itemsOf(here.environment, ({ pk }) => String(pk).includes(instanceId));
  const [file] = rows.filter(({ sk }) => String(sk).startsWith('ARTIFACT#')).map((row) => artifacts.load(row));
  const path = `instances/${instanceId}/files/${file?.objectName}`;
  expect((await here.member.get(`/${here.organizationId}/${here.projectId}/${path}`)).status).toBe(303);
  expect((await here.member.get(`${here.elsewhere}/${path}`)).status).toBe(404);
});
