import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadFunctions } from '#infra/build/declarations.ts';
import { readRules } from '#infra/local/events/event-rules.ts';
import { loadAssembly } from '#infra/local/template/assembly.ts';
import { Stack } from '#infra/local/template/stack.ts';
import { GROUP_EVENT_TYPES } from '#shared/model/events/domain-event.ts';
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import { findAssembly } from '#test/harness/stage.ts';
import { statementsOf } from './policies.ts';
import { publishedEvents } from './published-events.ts';
import { type Named, type Synthesized, synthesized, synthesizedIn } from './synthesized.ts';

let prod: Synthesized;
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
});

const functionNamed = (name: string): Named => {
  const found = prod.all('AWS::Lambda::Function').find(({ Properties }) => {
    return Properties.FunctionName === `rundown-prod-${name}`;
  });
  if (!found) throw new Error(`The template has no function ${name}`);
  return found;
};

const allowed = (name: string, service: string) =>
  statementsOf(prod, functionNamed(name)).filter(({ Action }) =>
    Action.some((action) => action.startsWith(`${service}:`)),
  );

const queueOf = (name: string): Named => {
  const found = prod.all('AWS::SQS::Queue').find(({ Properties }) => Properties.QueueName === `rundown-prod-${name}`);
  if (!found) throw new Error(`The template has no queue ${name}`);
  return found;
};

const Targets = z.tuple([z.object({ Arn: z.unknown(), DeadLetterConfig: z.object({ Arn: z.unknown() }) })]);
const targetOf = ({ Properties }: Pick<Named, 'Properties'>) => Targets.parse(Properties.Targets)[0];

function ruleTo(queue: Named): Named {
  const found = prod.all('AWS::Events::Rule').find((rule) => prod.target(targetOf(rule).Arn).id === queue.id);
  if (!found) throw new Error(`No rule sends to ${queue.id}`);
  return found;
}

const Variables = z.object({ Variables: z.record(z.string(), z.unknown()) });

const TYPES = [...GROUP_EVENT_TYPES];

const rulesOf = async () =>
  readRules(await Stack.load(await loadAssembly(await findAssembly()), { tableName: 't', bucketName: 'b' }));

describe('the rules of the event bus', () => {
  test('One rule of the event bus matches the start and the end of a run, and another matches only the end', async () => {
    const rules = await rulesOf();
    const events = await publishedEvents(TYPES);
    const matched = rules.map((rule) => events.filter(rule.matches).map((event) => event['detail-type']));
    expect(matched.sort((one, other) => one.length - other.length)).toEqual([['RunEnded'], TYPES]);
    const [event] = events;
    if (!event) throw new Error('The client sent no event');
    for (const { matches } of rules) {
      expect(matches({ ...event, source: 'elsewhere' })).toBe(false);
      expect(matches({ ...event, 'detail-type': 'RunDeleted' })).toBe(false);
    }
  });

  test.each(['fanOutRunEvent', 'compileEndedRun'])(
    'A rule sends to the queue and dead-letter queue of %s, which accept events from no other rule',
    (consumer) => {
      const queue = queueOf(consumer);
      const deadLetters = queueOf(`${consumer}-dead-letters`);
      const { id, Properties } = ruleTo(queue);
      expect(prod.target(Properties.EventBusName).id).toBe(prod.only('AWS::Events::EventBus').id);
      expect(prod.target(targetOf({ Properties }).DeadLetterConfig.Arn).id).toBe(deadLetters.id);
      const letIn = prod.all('AWS::SQS::QueuePolicy').flatMap(({ Properties: { PolicyDocument, Queues } }) => {
        const text = JSON.stringify(PolicyDocument);
        const own = prod.target(z.array(z.unknown()).parse(Queues)[0]).id;
        const isOfRule = text.includes('events.amazonaws.com') && [queue.id, deadLetters.id].includes(own);
        return isOfRule ? [{ text, queue: own }] : [];
      });
      expect(letIn.map((one) => one.queue).sort()).toEqual([queue.id, deadLetters.id].sort());
      for (const { text } of letIn) expect(text).toContain(`"aws:SourceArn":{"Fn::GetAtt":["${id}","Arn"]}`);
    },
  );
});

describe('a target in `sends` of a function', () => {
  test('A function may send only to the targets that it declares, and only their addresses are in its environment variables', async () => {
    const { endpoints, consumers, schedules, streams } = await loadFunctions();
    const declared = [...consumers, ...schedules, ...streams].map(({ declaration }) => declaration);
    const silent = endpoints.map(({ declaration }) => ({ name: declaration.operationId, sends: undefined }));
    const bus = prod.only('AWS::Events::EventBus').id;
    const queues = {
      deliveryQueue: queueOf('deliverWebhook').id,
      notificationQueue: queueOf('deliverNotification').id,
      fileQueue: queueOf('confirmArtifact').id,
      reportQueue: queueOf('recordReport').id,
    };
    for (const { name, sends = [] } of [...declared, ...silent]) {
      const puts = allowed(name, 'events');
      expect(
        puts.map(({ Action, Resource }) => [Action, prod.target(Resource).id]),
        name,
      ).toEqual(sends.includes('eventBus') ? [[['events:PutEvents'], bus]] : []);
      const sent = allowed(name, 'sqs').filter(({ Action }) => Action.includes('sqs:SendMessage'));
      expect(sent.flatMap(({ Resource }) => [Resource].flat().map((one) => prod.target(one).id)).sort(), name).toEqual(
        sends.flatMap((target) => (target === 'eventBus' ? [] : [queues[target]])).sort(),
      );
      const variables = Variables.parse(functionNamed(name).Properties.Environment).Variables;
      expect('EVENT_BUS_NAME' in variables, name).toBe(sends.includes('eventBus'));
      expect('DELIVERY_QUEUE_URL' in variables, name).toBe(sends.includes('deliveryQueue'));
      expect('NOTIFICATION_QUEUE_URL' in variables, name).toBe(sends.includes('notificationQueue'));
      expect('FILE_QUEUE_URL' in variables, name).toBe(sends.includes('fileQueue'));
      expect('REPORT_QUEUE_URL' in variables, name).toBe(sends.includes('reportQueue'));
    }
  });

  test('The outbox relay is the only stream function, and declares the event bus and the queues of webhooks and notifications as its targets', async () => {
    const [relay, ...others] = (await loadFunctions()).streams;
    expect(others).toEqual([]);
    expect(relay?.declaration).toMatchObject({
      name: 'relayOutbox',
      sends: ['eventBus', 'deliveryQueue', 'notificationQueue'],
    });
  });
});

describe('the outbox relay', () => {
  const mapping = () => {
    const found = prod.all('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => Properties.FilterCriteria);
    const [only, ...others] = found;
    if (!only || others.length > 0) throw new Error(`${found.length} event sources have a filter`);
    return only.Properties;
  };

  test('receives every new outbox row, with a bounded number of retries per row', () => {
    expect(prod.target(mapping().FunctionName).id).toBe(functionNamed('relayOutbox').id);
    expect(prod.target(mapping().EventSourceArn).Type).toBe('AWS::DynamoDB::Table');
    expect(mapping()).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 10,
      BisectBatchOnFunctionError: false,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 10,
      MaximumRecordAgeInSeconds: 600,
    });
    const { Filters } = z
      .object({ Filters: z.tuple([z.object({ Pattern: z.string() })]) })
      .parse(mapping().FilterCriteria);
    expect(JSON.parse(Filters[0].Pattern)).toEqual({
      eventName: ['INSERT'],
      dynamodb: { Keys: { pk: { S: [{ prefix: OUTBOX_PREFIX }] } } },
    });
  });

  test('is the only reader of the stream, and rows that it skips are kept and raise an alarm', async () => {
    const { consumers, schedules, streams } = await loadFunctions();
    for (const { declaration } of [...consumers, ...schedules, ...streams]) {
      const reads = allowed(declaration.name, 'dynamodb').filter(({ Action }) =>
        Action.includes('dynamodb:GetRecords'),
      );
      expect(reads.length, declaration.name).toBe(declaration.name === 'relayOutbox' ? 1 : 0);
    }
    const { OnFailure } = z
      .object({ OnFailure: z.object({ Destination: z.unknown() }) })
      .parse(mapping().DestinationConfig);
    const skippedRows = prod.target(OnFailure.Destination);
    expect(skippedRows.id).toBe(queueOf('relayOutbox-passed-over').id);
    const alarms = prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const ofQueue = alarms.filter(({ Dimensions }) => JSON.stringify(Dimensions ?? '').includes(skippedRows.id));
    expect(ofQueue).toMatchObject([{ MetricName: 'ApproximateNumberOfMessagesVisible', Threshold: 1 }]);
    expect(alarms.filter(({ MetricName }) => MetricName === 'IteratorAge')).toMatchObject([{ Threshold: 300_000 }]);
  });
});

test('late outbox rows, late deliveries, failing deliveries and disabled webhooks raise alarms', () => {
  const alarms = prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const late = alarms.filter(({ MetricName }) => `${MetricName}`.endsWith('-lateSeconds'));
  for (const name of ['resendOutbox', 'retryDeliveries']) {
    expect(late.filter(({ MetricName }) => MetricName === `prod-${name}-lateSeconds`)).toMatchObject([
      { Statistic: 'Maximum', Threshold: 600 },
    ]);
  }
  const rate = alarms.filter(({ AlarmDescription }) => `${AlarmDescription}`.endsWith('#failing-deliveries'));
  expect(rate).toHaveLength(1);
  for (const metric of ['delivered', 'failed']) {
    expect(JSON.stringify(rate[0]?.Metrics)).toContain(`"prod-deliverWebhook-${metric}"`);
  }
  const disabled = alarms.filter(({ MetricName }) => MetricName === 'prod-deliverWebhook-disabled');
  expect(disabled).toMatchObject([{ Statistic: 'Sum', Threshold: 1 }]);
});

test('webhooks reach private addresses only if the deployment allows it', async () => {
  const values = (of: Synthesized) =>
    of.all('AWS::Lambda::Function').map(({ Properties }) => {
      return Variables.parse(Properties.Environment).Variables['PRIVATE_RECEIVERS'];
    });
  expect(new Set(values(prod))).toEqual(new Set([undefined]));
  // The stack on which the tests run allows webhooks to private addresses.
  expect(new Set(values(await synthesizedIn(await findAssembly())))).toEqual(new Set(['network']));
  await expect(synthesized({ env: 'prod', privateWebhooks: 'yes' })).rejects.toThrow(
    'privateWebhooks=... must be true',
  );
});
