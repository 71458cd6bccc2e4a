/** What a deployment has that costs while nothing happens. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { timetable } from '#infra/schedule-expression.ts';
import { synthesize } from '#infra/synth.ts';

export interface Standing {
  readonly queuesPolled: number;
  readonly alarms: number;
  readonly schedules: readonly Schedule[];
}

export interface Schedule {
  readonly name: string;
  readonly runsAMonth: number;
}

const Resource = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
const Template = z.object({ Resources: z.record(z.string(), Resource) });
const Scheduled = z.object({ Name: z.string(), ScheduleExpression: z.string() });

const MONTH_MILLISECONDS = 30 * 24 * 3600 * 1000;

export async function standingIn(env: 'dev' | 'prod'): Promise<Standing> {
  const outdir = await mkdtemp(join(tmpdir(), 'rundown-cost-'));
  try {
    await synthesize({ outdir, context: { env } });
    const files = (await readdir(outdir)).filter((name) => name.endsWith('.template.json'));
    const templates = files.map(async (name) => Template.parse(JSON.parse(await readFile(join(outdir, name), 'utf8'))));
    const resources = (await Promise.all(templates)).flatMap(({ Resources }) => Object.values(Resources));
    const of = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
    return {
      // Where there is a position to start at, there is a stream: Lambda reads those of tables for nothing.
      queuesPolled: of('AWS::Lambda::EventSourceMapping').filter((mapping) => !('StartingPosition' in mapping)).length,
      alarms: of('AWS::CloudWatch::Alarm').length,
      schedules: of('AWS::Scheduler::Schedule').map(scheduleOf),
    };
  } finally {
    await rm(outdir, { recursive: true });
  }
}

function scheduleOf(properties: object): Schedule {
  const { Name, ScheduleExpression } = Scheduled.parse(properties);
  const { after } = timetable(ScheduleExpression);
  let runsAMonth = 0;
  for (let at = after(0, 0); at !== undefined && at <= MONTH_MILLISECONDS; at = after(at, 0)) runsAMonth += 1;
  return { name: Name, runsAMonth };
}
