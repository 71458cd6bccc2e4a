/** What a deployment has that costs while nothing happens. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { synthesize } from '#infra/synth.ts';

export interface Standing {
  readonly queuesPolled: number;
  readonly alarms: number;
}

const Template = z.object({ Resources: z.record(z.string(), z.object({ Type: z.string() })) });

export async function standingIn(env: 'dev' | 'prod'): Promise<Standing> {
  const outdir = await mkdtemp(join(tmpdir(), 'rundown-cost-'));
  try {
    await synthesize({ outdir, context: { env } });
    const files = (await readdir(outdir)).filter((name) => name.endsWith('.template.json'));
    const templates = files.map(async (name) => Template.parse(JSON.parse(await readFile(join(outdir, name), 'utf8'))));
    const types = (await Promise.all(templates)).flatMap(({ Resources }) => Object.values(Resources));
    const count = (type: string) => types.filter(({ Type }) => Type === type).length;
    return { queuesPolled: count('AWS::Lambda::EventSourceMapping'), alarms: count('AWS::CloudWatch::Alarm') };
  } finally {
    await rm(outdir, { recursive: true });
  }
}
