/** What the guides say about CI: their configurations, commands and variables exist. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { help, parseCommandLine } from '#infra/client/options.ts';

const PROJECT = join(import.meta.dirname, '..');
const GUIDES = ['functions/README.md', 'infra/client/README.md', 'infra/client/package/README.md'];

const readGuide = (path: string): Promise<string> => readFile(join(PROJECT, path), 'utf8');

const listBlocks = (markdown: string): string[] =>
  [...markdown.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

const Workflow = z.object({
  on: z.unknown().optional(),
  permissions: z.record(z.string(), z.string()).default({}),
  jobs: z.record(
    z.string(),
    z.object({
      'runs-on': z.string(),
      env: z.record(z.string(), z.coerce.string()).default({}),
      steps: z.array(
        z.object({
          uses: z.string().optional(),
          run: z.string().optional(),
          with: z.record(z.string(), z.coerce.string()).default({}),
        }),
      ),
    }),
  ),
});

async function listWorkflows() {
  const all = await Promise.all(GUIDES.map(readGuide));
  return all.flatMap(listBlocks).flatMap((block) => Workflow.safeParse(parseDocument(block).toJS()).data ?? []);
}

describe('The guides', () => {
  test.each(GUIDES)('%s has valid YAML', async (path) => {
    const errors = listBlocks(await readGuide(path)).flatMap((block) => parseDocument(block).errors);
    expect(errors).toEqual([]);
  });

  test.each(GUIDES)('%s names commands and options of `rundown` that exist', async (path) => {
    const commands = [...(await readGuide(path)).matchAll(/\brundown ([a-z-]+(?: [^\n`|;&]*)?)[`\n|;&]/g)]
      .map(([, words = '']) => words.match(/'[^']*'|"[^"]*"|\S+/g) ?? [])
      .filter(([name = '']) => COMMANDS.includes(name));
    expect(commands).not.toEqual([]);
    for (const words of commands) expect(() => parseCommandLine(words)).not.toThrow();
  });

  test.each(GUIDES)('%s names environment variables that something reads', async (path) => {
    const files = await glob('infra/{client,local}/**/*.ts', { cwd: PROJECT });
    const source = (await Promise.all(files.map(readGuide))).join('\n');
    const names = new Set((await readGuide(path)).match(/\bRUNDOWN_[A-Z_]+\b/g));
    const unknown = [...names].filter((name) => !source.includes(name) && !isVariableOfOption(name));
    expect(unknown).toEqual([]);
  });

  test('give each job the key or the identity token that it records with', async () => {
    const workflows = await listWorkflows();
    expect(workflows.length).toBeGreaterThan(4);
    for (const { permissions, jobs } of workflows)
      for (const { env, steps } of Object.values(jobs)) {
        const places = [env['RUNDOWN_DSN'], ...steps.map((step) => step.with['dsn'])];
        const hasKey = places.some((place) => place?.includes('secrets.RUNDOWN_DSN'));
        if (!hasKey) expect(permissions).toMatchObject({ 'id-token': 'write' });
      }
  });

  test('run nothing of a fork in the workflow that has an identity token, and unpack its artifact outside of the working folder', async () => {
    const all = await listWorkflows();
    const [workflow, ...more] = all.filter(({ on }) => JSON.stringify(on ?? '').includes('workflow_run'));
    expect(more).toEqual([]);
    const steps = Object.values(workflow?.jobs ?? {}).flatMap((job) => job.steps);
    expect(steps.map(({ uses, run }) => uses?.split('@')[0] ?? run?.replace(/--package=\S+ /, ''))).toEqual([
      'actions/download-artifact',
      'npx --yes rundown upload "$RUNNER_TEMP/report/report.xml"',
    ]);
    expect(steps[0]?.with['path']).toMatch(/^\$\{\{ runner\.temp \}\}\/report$/);
  });
});

const COMMANDS = ['upload', 'run', 'complete', 'last-failed', 'gate', 'why', 'open'];

/** Options are read from variables whose names are made from theirs. */
const isVariableOfOption = (name: string): boolean => help().includes(`(${name})`);
