/** Counts the resources of a deployment, from which its costs and its concurrency are computed. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { parseTimetable } from '#infra/build/schedule-expression.ts';
import { synthesize } from '#infra/synth.ts';
import type { DeployedResources, Schedule } from './counted-costs.ts';
import { sum } from './sum.ts';

/** What the templates of a deployment have. */
interface Deployment {
  readonly resources: DeployedResources;
  readonly schedules: readonly Schedule[];
}

const Resource = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
const Template = z.object({ Resources: z.record(z.string(), Resource) });
const Scheduled = z.object({ Name: z.string(), ScheduleExpression: z.string() });

const Alarm = z.object({ Metrics: z.array(z.object({ MetricStat: z.unknown().optional() })).optional() });
const Api = z.object({ Body: z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) }) });
const Stage = z.object({ AccessLogSetting: z.object({ Format: z.string() }) });
const Polled = z.object({ ScalingConfig: z.object({ MaximumConcurrency: z.number() }) });

const MONTH_MILLISECONDS = 30 * 24 * 3600 * 1000;

export async function deployment(env: 'dev' | 'prod'): Promise<Deployment> {
  const outdir = await mkdtemp(join(tmpdir(), 'rundown-cost-'));
  try {
    await synthesize({ outdir, context: { env } });
    const files = (await readdir(outdir)).filter((name) => name.endsWith('.template.json'));
    const templates = files.map(async (name) => Template.parse(JSON.parse(await readFile(join(outdir, name), 'utf8'))));
    const resources = (await Promise.all(templates)).flatMap(({ Resources }) => Object.values(Resources));
    const ofType = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
    return summary(ofType);
  } finally {
    await rm(outdir, { recursive: true });
  }
}

type Properties = (type: string) => ReadonlyArray<Readonly<Record<string, unknown>>>;

function summary(of: Properties): Deployment {
  // Event source mappings with a starting position are table streams. They are excluded, because Lambda polls them free
  // of charge.
  const polled = of('AWS::Lambda::EventSourceMapping').filter((mapping) => !('StartingPosition' in mapping));
  const alarms = of('AWS::CloudWatch::Alarm').map((alarm) => Alarm.parse(alarm).Metrics);
  const metricsOf = (metrics: (typeof alarms)[number]) => metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1;
  const resources = {
    queuesPolled: polled.length,
    consumersAtOnce: sum(polled.map((mapping) => Polled.parse(mapping).ScalingConfig.MaximumConcurrency)),
    alarms: alarms.length,
    alarmMetrics: sum(alarms.map(metricsOf)),
    logMetrics: of('AWS::Logs::MetricFilter').length,
    routes: sum(of('AWS::ApiGateway::RestApi').map((api) => routesOf(Api.parse(api)))),
    accessLogBytes: sum(of('AWS::ApiGateway::Stage').map((stage) => Stage.parse(stage).AccessLogSetting.Format.length)),
  };
  return {
    resources,
    schedules: of('AWS::Scheduler::Schedule').map(scheduleOf),
  };
}

const routesOf = ({ Body }: z.infer<typeof Api>): number =>
  sum(Object.values(Body.paths).map((methods) => Object.keys(methods).length));

function scheduleOf(properties: object): Schedule {
  const { Name, ScheduleExpression } = Scheduled.parse(properties);
  const { after } = parseTimetable(ScheduleExpression);
  let runsAMonth = 0;
  for (let at = after(0, 0); at !== undefined && at <= MONTH_MILLISECONDS; at = after(at, 0)) runsAMonth += 1;
  return { name: Name, runsAMonth };
}
