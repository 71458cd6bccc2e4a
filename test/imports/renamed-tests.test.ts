/**
 * An update of Rundown gives tests of some writers other names. Rules, issues and quarantines of these tests are named by
 * the first import, and moved by a button. `formerly` of a case is the name that release 0.2.0 recorded.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deriveSignature } from '#shared/model/ids.ts';
import { getIssueQuarantinesSpan, issueQuarantines } from '#shared/model/issues/issue-automation.ts';
import { makeExactPattern, makeQuarantineRule } from '#shared/rules/quarantine-of-test.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { createRule } from '#test/harness/rules.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { MINUTE, stage as stageWithTracker } from '#test/issues/automation-stage.ts';
import { CASES, FOLDER, readCase } from './public-cases.ts';
import { imported } from './reports.ts';

interface Name {
  readonly spec: string;
  readonly title: readonly string[];
}

const nameOf = ([spec = '', ...title]: readonly string[]): Name => ({ spec, title });
const leafOf = ({ title }: Name): string => title.at(-1) ?? '';

/** Records tests under these names, whatever writer they come from. */
const recordAs = (tenant: Tenant, names: readonly Name[]) => {
  const tests = names.map(({ spec, title }) => ({
    name: leafOf({ spec, title }),
    suite: title.slice(0, -1),
    filePath: spec,
    status: 'passed',
    duration: 1,
  }));
  return imported(
    tenant,
    JSON.stringify({ reportFormat: 'CTRF', results: { tool: { name: 'x' }, tests } }),
    'ciBuildId=before',
  );
};

const quarantine = async (tenant: Tenant, name: Name) =>
  (
    await tenant.api.post(`/actions?projectId=${tenant.projectId}`, {
      ...makeQuarantineRule(name, ''),
      expiresAfter: null,
    })
  ).body.data;

const warningsOf = ({ files }: Awaited<ReturnType<typeof imported>>): string[] =>
  files
    .flatMap(({ warnings }: { warnings: { message: string }[] }) => warnings.map(({ message }) => message))
    .filter((text: string) => text.startsWith('Move '));

const BUTTON = /name="signature" value="(\w+)"/g;
const signaturesIn = (html: string): string[] => [...html.matchAll(BUTTON)].map(([, signature = '']) => signature);

/** The names that the condition of this type matches as a whole. */
const valuesOf = ({ cond }: { cond: { type: string; value: unknown }[] }, type: string) =>
  cond.filter((one) => one.type === type).flatMap(({ value }) => value);
const exactly = (text: string) => ({ type: 'RegexPattern', pattern: makeExactPattern(text) });

const known = await Promise.all(CASES.map(async (name) => ({ name, ...(await readCase(name)) })));
const changing = known.filter(({ tests = [] }) => tests.some(({ formerly }) => formerly));

describe('After an update from release 0.2.0', () => {
  test.each(changing.map(({ name, files, tests = [] }) => ({ name, files, tests })))(
    'the first import of $name names the rules of the tests that it renames, and no others, and a button moves each',
    async ({ name, files: [file = ''], tests }) => {
      const tenant = await service();
      const names = tests.map((one) => ({ from: one.formerly ? nameOf(one.formerly) : one, to: one }));
      await recordAs(
        tenant,
        names.map(({ from }) => from),
      );
      const rules = [];
      for (const { from, to } of names) rules.push({ from, to, rule: await quarantine(tenant, from) });
      // A rule looks at the spec file and at the last part of the title.
      const lost = rules.filter(({ from, to }) => from.spec !== to.spec || leafOf(from) !== leafOf(to));
      const report = await readFile(join(FOLDER, name, file));
      const warnings = warningsOf(await imported(tenant, Uint8Array.from(report), 'ciBuildId=after'));
      expect(warnings).toHaveLength(lost.length);

      const editor = await signedIn(tenant, 'actionsAdmin');
      const page = `/${tenant.organizationId}/${tenant.projectId}/actions`;
      const signatures = signaturesIn((await editor.get(page)).html);
      expect(signatures.sort()).toEqual(lost.map(({ from }) => deriveSignature({ ...tenant, ...from })).sort());
      for (const signature of signatures) expect((await editor.post(page, { signature })).status).toBe(303);
      expect((await editor.get(page)).text).not.toContain('Tests with a new name');
      for (const { from, to, rule } of rules) {
        const { matcher } = (await tenant.reader.get(`/actions/${rule.actionId}`)).body.data;
        const isLost = lost.some((one) => one.rule === rule);
        if (!isLost) expect(matcher).toEqual(rule.matcher);
        expect(valuesOf(matcher, 'file')).toEqual(expect.arrayContaining([exactly(from.spec), exactly(to.spec)]));
        expect(valuesOf(matcher, 'title')).toEqual(
          expect.arrayContaining([exactly(leafOf(from)), exactly(leafOf(to))]),
        );
      }
      expect(warningsOf(await imported(tenant, Uint8Array.from(report), 'ciBuildId=later'))).toEqual([]);
    },
  );

  const row = (classname: string, name: string): string =>
    `<testcase name="${name}" file="cart.spec.ts" classname="${classname}"><failure message="no"/></testcase>`;
  const REPORT = `<testsuites><testsuite name="all">${row('when empty', 'sums')}${row('when full', 'sums')}${row('cart', 'keeps')}</testsuite></testsuites>`;
  const SECOND = 'cart.spec.ts > sums (2)';
  const KEPT = 'cart.spec.ts > keeps';

  test('names no rule of a project that never recorded the test under its former name', async () => {
    const tenant = await service();
    await quarantine(tenant, nameOf(['cart.spec.ts', 'sums (2)']));
    expect(warningsOf(await imported(tenant, REPORT))).toEqual([]);
  });

  async function stage() {
    const here = await stageWithTracker({ quarantines: true });
    const recorded = await here.run({ 'cart.spec.ts > sums': failed(), [SECOND]: failed(), [KEPT]: failed() });
    await here.create(recorded, SECOND);
    await here.create(recorded, KEPT);
    await here.pass();
    const [present, kept] = [['when full', 'sums'], ['keeps']].map((title) =>
      deriveSignature({ ...here, spec: 'cart.spec.ts', title }),
    );
    const quarantines = async () =>
      (
        await here.services.table.queryAll(issueQuarantines, getIssueQuarantinesSpan(here.project), {
          consistent: true,
        })
      )
        .map(({ signature }) => signature)
        .sort();
    const page = `/${here.organizationId}/${here.projectId}/actions`;
    return { ...here, present, kept, quarantines, page, editor: await signedIn(here, 'actionsAdmin') };
  }

  test('the issue of a renamed test and its running quarantine are named and moved together, and end together', async () => {
    const here = await stage();
    const { present, kept, quarantines, page, editor, rulesNow, archivedNow, issues, pass, tracker } = here;
    const [warning, ...others] = warningsOf(await imported(here, REPORT));
    expect(others).toEqual([]);
    expect(warning).toBe(
      'Move the rule "Quarantine: sums (2)" and the issue acme/shop#1 on the page "Rules": "cart.spec.ts › sums (2)" is now called "cart.spec.ts › when full › sums"',
    );
    const shown = await editor.get(page);
    expect(shown.text).toContain('when full › sums');
    expect(shown.text).toContain('acme/shop#1');
    const [signature = ''] = signaturesIn(shown.html);
    expect((await editor.post(page, { signature })).status).toBe(303);

    expect((await issues()).map((one) => [one.signature, one.key, one.testTitle]).sort()).toEqual(
      [
        [present, 'acme/shop#1', ['when full', 'sums']],
        [kept, 'acme/shop#2', ['keeps']],
      ].sort(),
    );
    expect(await quarantines()).toEqual([present, kept].sort());
    expect((await rulesNow()).map(({ name }) => name).sort()).toEqual([
      'Quarantine: keeps',
      'Quarantine: when full › sums',
    ]);
    await pass();
    expect(await archivedNow()).toEqual([]);
    tracker.setState('acme/shop#1', 'done');
    clock.advance(15 * MINUTE);
    await pass();
    expect((await rulesNow()).map(({ name }) => name)).toEqual(['Quarantine: keeps']);
  });

  test('a rule whose conditions cannot be moved is named with the advice to edit it, and has no button', async () => {
    const tenant = await service();
    await recordAs(tenant, [nameOf(['cart.spec.ts', 'sums']), nameOf(['cart.spec.ts', 'sums (2)'])]);
    await createRule(tenant, { matcher: { op: 'AND', cond: [{ type: 'titlePath', op: 'eq', value: 'sums (2)' }] } });
    expect(warningsOf(await imported(tenant, REPORT))).toHaveLength(1);
    const editor = await signedIn(tenant, 'actionsAdmin');
    const shown = await editor.get(`/${tenant.organizationId}/${tenant.projectId}/actions`);
    expect(shown.text).toContain('Edit the rule Payment is flaky');
    expect(signaturesIn(shown.html)).toEqual([]);
  });

  /** A report of Cypress, in which only the root suite names the file. */
  const cypress = (spec: string, suite: string): string =>
    `<testsuites name="Mocha Tests"><testsuite name="Root Suite" file="${spec}"/><testsuite name="${suite}"><testcase name="pays" classname="pays"/></testsuite></testsuites>`;

  test('concurrent moves of two tests that share a rule, and of one test twice, lose no name and write none twice', async () => {
    const tenant = await service();
    await recordAs(tenant, [nameOf(['shop', 'pays']), nameOf(['bank', 'pays'])]);
    const cond = [{ type: 'file', op: 'in', value: ['shop', 'bank'] }];
    const rule = await createRule(tenant, { matcher: { op: 'AND', cond } });
    await imported(tenant, cypress('cypress/one.cy.ts', 'shop'));
    await imported(tenant, cypress('cypress/two.cy.ts', 'bank'));
    const editor = await signedIn(tenant, 'actionsAdmin');
    const page = `/${tenant.organizationId}/${tenant.projectId}/actions`;
    const signatures = signaturesIn((await editor.get(page)).html);
    expect(signatures).toHaveLength(2);
    await Promise.all([...signatures, ...signatures].map((signature) => editor.post(page, { signature })));
    const { matcher } = (await tenant.reader.get(`/actions/${rule.actionId}`)).body.data;
    expect(valuesOf(matcher, 'file')).toHaveLength(4);
    expect(valuesOf(matcher, 'file')).toEqual(
      expect.arrayContaining(['shop', 'bank', exactly('cypress/one.cy.ts'), exactly('cypress/two.cy.ts')]),
    );
  });
});
