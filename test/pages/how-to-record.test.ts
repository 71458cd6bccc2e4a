import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import PACKAGE from '#infra/client/package/package.json' with { type: 'json' };
import type { Role } from '#shared/model/organizations/membership.ts';
import { REPORT_TOOLS } from '#shared/pages/imports/report-tools.tsx';
import { attribute } from '#test/harness/elements.ts';
import { service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';

/** The texts that the copy buttons of a page copy. */
const copied = ({ elements }: Shown): string[] => elements.flatMap((element) => attribute(element, 'data-copy') ?? []);

async function emptyProject(role: Role) {
  const here = await service();
  const person = await signedIn(here, role);
  const page = await person.get(`/${here.organizationId}/${here.projectId}/runs`);
  return { ...here, person, page, install: `npm i -D ${here.origin}/client/${PACKAGE.version}/rundown-cli.tgz` };
}

describe('The page of an empty project', () => {
  test('has a copy button for each step of setting up the Rundown reporter, for each supported framework', async () => {
    const { origin, projectId, page, install } = await emptyProject('admin');
    const dsn = `export RUNDOWN_DSN=${origin.replace('//', '//<key>@')}/${projectId}`;
    const texts = copied(page);
    const lines = [
      ["reporter: [['list'], ['rundown-cli/playwright']],", 'npx playwright test'],
      ["reporters: ['default', 'rundown-cli/vitest'],", 'npx vitest run'],
      ["reporters: ['default', 'rundown-cli/jest'],", 'npx jest'],
      [
        'node --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=rundown-cli/node-test --test-reporter-destination=stdout',
      ],
    ];
    for (const steps of lines) {
      const first = texts.indexOf(steps[0] ?? '') - 2;
      expect(texts.slice(first, first + steps.length + 2)).toEqual([install, dsn, ...steps]);
    }
  });

  test('shows how to record with the reporter @currents/playwright, and how to upload reports', async () => {
    const { origin, page } = await emptyProject('admin');
    const texts = copied(page).join('\n');
    for (const text of [`CURRENTS_API_URL=${origin}`, '--reporter=@currents/playwright', 'npx --no rundown upload'])
      expect(texts).toContain(text);
    // Without `--no`, npx would run whatever package has this name in the public registry.
    expect(texts).not.toMatch(/npx rundown/);
  });

  test('lists the line with which each tool writes a report, as the form and the guide do', async () => {
    const { organizationId, projectId, person, page } = await emptyProject('member');
    const form = await person.get(`/${organizationId}/${projectId}/imports/new`);
    const guide = await readFile(join(import.meta.dirname, '../../functions/README.md'), 'utf8');
    for (const { name, lines, file } of REPORT_TOOLS)
      for (const text of [name, file, ...lines]) {
        expect(page.text).toContain(text);
        expect(form.text).toContain(text);
        if (lines.includes(text) && !text.startsWith('#')) expect(guide).toContain(text);
      }
  });

  test('links Admins to the form for a new API key, and tells Guests to ask an Admin', async () => {
    const admin = await emptyProject('admin');
    expect(admin.page.links).toContain(
      `/${admin.organizationId}/settings/api-keys/new?project_id=${admin.projectId}&framework=Vitest`,
    );
    const guest = await emptyProject('guest');
    expect(guest.page.text).toContain('Ask an Admin for a Read & Write key, and put it in place of <key>.');
    expect(guest.page.links.filter((link) => link.includes('api-keys'))).toEqual([]);
  });
});

test('The settings of a project show how to record it with the Rundown reporter', async () => {
  const { organizationId, projectId, person, install } = await emptyProject('member');
  expect(copied(await person.get(`/${organizationId}/${projectId}/settings`))).toContain(install);
});
