/**
 * A deleted project takes nothing new until somebody restores it. Which requests are tried follows from the declarations
 * of operations and forms, so a new one that is not refused fails here.
 */
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { authorized, goodRequest, sampleOf, sampleWorld, takesKeys } from '#test/engine/http/sample-requests.ts';
import { send } from '#test/engine/http/wire.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { attack } from '#test/harness/attacks.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { beforeTableCalls, service, watchTable } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';

watchTable();

const changing = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ method, permission }) => method !== 'GET' && permission !== 'public' && !permission.endsWith(':read'));

/** Whoever deletes a project may still take away what outsiders and machines could use, and end what is in progress. */
const takesAway = ({ operationId }: Declaration): boolean =>
  /^(delete|disable|unlink|cancel|reset|restore)/.test(operationId);
const namesProject = (declaration: Declaration): boolean => sampleOf(declaration).ids.includes('projectId');
const isRecording = ({ permission }: Declaration): boolean => permission === 'record';
/** Whether the request is about no project, or continues a run in progress. */
const isOther = (declaration: Declaration): boolean =>
  sampleOf(declaration).ids.length === 0 || (isRecording(declaration) && !namesProject(declaration));

const named = (some: readonly Declaration[]) => some.map((one) => [one.operationId, one] as const);
const removing = changing.filter(takesAway);
const refused = changing.filter((one) => !takesAway(one) && !isOther(one));
const disabling = removing.filter(({ operationId }) => operationId.startsWith('disable'));

async function stage() {
  const tenant = await service();
  const { api, projectId } = tenant;
  const world = await sampleWorld(tenant, changing);
  const person = await accessToken(tenant);
  const ask = (declaration: Declaration) => {
    const { doomedProjectId } = world;
    // Recording to the first project would continue its runs in progress.
    const at = isRecording(declaration) && namesProject(declaration) ? { ...world, projectId: doomedProjectId } : world;
    const key = takesKeys(declaration) ? tenant.keys.readWrite : person.value;
    return send(tenant.origin, authorized(declaration, goodRequest(declaration, at), key));
  };
  const remove = async () => {
    for (const id of [projectId, world.doomedProjectId]) await api.send('DELETE', `/projects/${id}`);
  };
  const restore = async () => {
    for (const id of [projectId, world.doomedProjectId]) await api.put(`/projects/${id}/restore`);
  };
  // An object that is enabled already would not be changed.
  const disable = async () => {
    for (const declaration of disabling) await ask(declaration);
  };
  return { ...tenant, ask, remove, restore, disable };
}

const stages: Record<string, ReturnType<typeof stage>> = {};
const stageOf = (which: 'refusals' | 'removals' | 'moments') => (stages[which] ??= stage());

const outcomeOf = ({ status, body }: Awaited<ReturnType<typeof send>>) =>
  status === 422 ? JSON.parse(body.toString()).code : status;
const REFUSED = [404, 'PROJECT_DELETED'];

describe('In a deleted project', () => {
  test.each(named(refused))(
    '%s is refused and changes nothing, and works again after the restoration',
    async (_, operation) => {
      const { ask, remove, restore, disable, ...at } = await stageOf('refusals');
      await disable();
      await remove();
      attack('deleted projects');
      const before = await linesOfOrganization(at);
      expect(REFUSED).toContain(outcomeOf(await ask(operation)));
      expect(await linesOfOrganization(at)).toEqual(before);
      await restore();
      expect((await ask(operation)).status).toBeLessThan(300);
    },
  );

  test.each(named(removing))(
    '%s still works, because it only takes something away or ends it',
    async (_, operation) => {
      const { ask, remove } = await stageOf('removals');
      await remove();
      expect((await ask(operation)).status).toBeLessThan(300);
    },
  );
});

/** An issue that its tracker has created is stored, even if the project was deleted meanwhile. */
const mayFinish = ({ operationId }: Declaration): boolean => /^create\w*Issue$/.test(operationId);
const inOneStep = refused.filter((one) => !mayFinish(one) && (!isRecording(one) || one.operationId.endsWith('Link')));

describe('At whatever moment the project is deleted,', () => {
  test.each(named(inOneStep))(
    '%s has happened before or is refused, and writes nothing after the deletion',
    async (_, operation) => {
      const { ask, remove, restore, disable, ...at } = await stageOf('moments');
      for (let number = 0, isOver = false; !isOver; number += 1) {
        await restore();
        await disable();
        let calls = 0;
        let afterwards: readonly string[] | undefined;
        const answer = await beforeTableCalls(
          async ({ operation: call }) => {
            const isNow = IS_DEEP ? calls === number : call === 'TransactWriteItems' && calls === 0;
            if (IS_DEEP || call === 'TransactWriteItems') calls += 1;
            if (!isNow) return;
            attack('deleted projects');
            await remove();
            afterwards = await linesOfOrganization(at);
          },
          () => ask(operation),
        );
        isOver = afterwards === undefined || !IS_DEEP;
        if (!IS_DEEP) expect(REFUSED).toContain(outcomeOf(answer));
        if (afterwards) expect(await linesOfOrganization(at)).toEqual(afterwards);
      }
    },
  );
});
