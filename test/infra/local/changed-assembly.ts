/** Modified copies of the small assembly in `assembly.ts`. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { ASSEMBLY } from './assembly.ts';

const Template = z.object({ Resources: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Copies the assembly for the duration of the test, with one modified file. */
export async function changed(file: string, change: (content: string) => string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'rundown-assembly-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await cp(ASSEMBLY, directory, { recursive: true });
  await writeFile(join(directory, file), change(await readFile(join(directory, file), 'utf8')));
  return directory;
}

/** Copies the assembly with these additional resources, keyed by logical id. */
export const withResources = (more: Readonly<Record<string, object>>): Promise<string> =>
  changed('Fixture.template.json', (content) => {
    const { Resources } = Template.parse(JSON.parse(content));
    return JSON.stringify({ Resources: { ...Resources, ...more } });
  });

export const withResource = (logicalId: string, resource: object): Promise<string> =>
  withResources({ [logicalId]: resource });
