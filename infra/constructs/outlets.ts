import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { GROUP_EVENT_TYPES } from '#shared/model/events/domain-event.ts';
import { ENVIRONMENT, EVENT_SOURCE } from '#shared/platform/environment.ts';
import { type MessageSource, type Outlet, QUEUE_OUTLETS } from '#shared/platform/outlets.ts';
import type { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

export interface OutletsProps {
  readonly environment: Environment;
  readonly queues: ReadonlyMap<MessageSource, QueueWithDeadLetters>;
}

/** What a function needs to send to an outlet. */
interface OutletAccess {
  readonly statement: PolicyStatement;
  readonly variables: Readonly<Record<string, string>>;
}

/** §6 The targets to which functions may send messages. Declarations refer to them by name. */
export class Outlets extends Construct {
  readonly eventBus: EventBus;
  private readonly queues: OutletsProps['queues'];

  constructor(scope: Construct, id: string, { environment, queues }: OutletsProps) {
    super(scope, id);
    this.queues = queues;
    this.eventBus = new EventBus(this, 'Bus', { eventBusName: `rundown-${environment.name}` });
    const runEvents = queues.get('runEvent');
    const runEnds = queues.get('runEnd');
    if (runEvents) this.routeEvents('RunEvents', [...GROUP_EVENT_TYPES], runEvents);
    if (runEnds) this.routeEvents('RunEnds', ['RunEnded'], runEnds);
  }

  /** Events that could not be delivered within a day go to the dead-letter queue. */
  private routeEvents(id: string, detailType: string[], { queue, deadLetters }: QueueWithDeadLetters): void {
    new Rule(this, id, {
      eventBus: this.eventBus,
      description: 'Sends run events to the queue of their consumer',
      eventPattern: { source: [EVENT_SOURCE], detailType },
      targets: [new SqsQueue(queue, { deadLetterQueue: deadLetters })],
    });
  }

  listStatements(sends: readonly Outlet[]): PolicyStatement[] {
    return sends.map((outlet) => this.findAccess(outlet).statement);
  }

  listVariables(sends: readonly Outlet[]): Record<string, string> {
    return Object.assign({}, ...sends.map((outlet) => this.findAccess(outlet).variables));
  }

  private findAccess(outlet: Outlet): OutletAccess {
    if (outlet === 'eventBus') {
      const { eventBusArn, eventBusName } = this.eventBus;
      return {
        statement: new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBusArn] }),
        variables: { [ENVIRONMENT.eventBus]: eventBusName },
      };
    }
    const pair = this.queues.get(QUEUE_OUTLETS[outlet]);
    if (pair === undefined) throw new Error(`The target ${outlet} has no consumer: declare one first`);
    return {
      statement: new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [pair.queue.queueArn] }),
      variables: { [ENVIRONMENT[outlet]]: pair.queue.queueUrl },
    };
  }
}
