import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { GROUP_EVENT_TYPES } from '#shared/model/events/domain-event.ts';
import { ENVIRONMENT, EVENT_SOURCE } from '#shared/platform/environment.ts';
import type { MessageSource } from '#shared/platform/outlets.ts';
import { type Outlet, QUEUE_OUTLETS } from '#shared/platform/outlets.ts';
import type { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

export interface OutletsProps {
  readonly environment: Environment;
  /** The queues of the declared consumers. */
  readonly queues: ReadonlyMap<MessageSource, QueueWithDeadLetters>;
}

interface Way {
  readonly statement: PolicyStatement;
  readonly variables: Readonly<Record<string, string>>;
}

function wayInto(outlet: keyof typeof QUEUE_OUTLETS, queues: OutletsProps['queues']): Way | undefined {
  const made = queues.get(QUEUE_OUTLETS[outlet]);
  return (
    made && {
      statement: new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [made.queue.queueArn] }),
      variables: { [ENVIRONMENT[outlet]]: made.queue.queueUrl },
    }
  );
}

/**
 * §6 The targets to which functions may send messages: the event bus with its rules, and queues. Declarations refer to
 * these targets by name.
 */
export class Outlets extends Construct {
  readonly eventBus: EventBus;
  private readonly ways: Readonly<Record<Outlet, Way | undefined>>;

  constructor(scope: Construct, id: string, { environment, queues }: OutletsProps) {
    super(scope, id);
    const eventBus = new EventBus(this, 'Bus', { eventBusName: `rundown-${environment.name}` });
    this.eventBus = eventBus;
    const runEvents = queues.get('runEvent');
    const runEnds = queues.get('runEnd');
    if (runEvents) this.bring('RunEvents', [...GROUP_EVENT_TYPES], eventBus, runEvents);
    if (runEnds) this.bring('RunEnds', ['RunEnded'], eventBus, runEnds);
    this.ways = {
      eventBus: {
        statement: new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBus.eventBusArn] }),
        variables: { [ENVIRONMENT.eventBus]: eventBus.eventBusName },
      },
      deliveryQueue: wayInto('deliveryQueue', queues),
      notificationQueue: wayInto('notificationQueue', queues),
      fileQueue: wayInto('fileQueue', queues),
      reportQueue: wayInto('reportQueue', queues),
    };
  }

  /**
   * Routes run events from EventBridge to the queue. Events that could not be delivered within a day go to the
   * dead-letter queue.
   */
  private bring(
    id: string,
    detailType: string[],
    eventBus: EventBus,
    { queue, deadLetters }: QueueWithDeadLetters,
  ): void {
    new Rule(this, id, {
      eventBus,
      description: 'Sends run events to the queue of their consumer',
      eventPattern: { source: [EVENT_SOURCE], detailType },
      targets: [new SqsQueue(queue, { deadLetterQueue: deadLetters })],
    });
  }

  statementsFor(sends: readonly Outlet[]): PolicyStatement[] {
    return sends.map((outlet) => this.wayTo(outlet).statement);
  }

  variablesFor(sends: readonly Outlet[]): Record<string, string> {
    return Object.assign({}, ...sends.map((outlet) => this.wayTo(outlet).variables));
  }

  private wayTo(outlet: Outlet): Way {
    const way = this.ways[outlet];
    if (way === undefined) throw new Error(`The target ${outlet} has no consumer: declare one first`);
    return way;
  }
}
