import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Outlet } from '#shared/declaration.ts';
import { ENVIRONMENT, EVENT_SOURCE } from '#shared/environment.ts';
import { RUN_EVENTS } from '#shared/resources/run-event.ts';
import type { Environment } from '../environments.ts';
import type { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

export interface OutletsProps {
  readonly environment: Environment;
  /** Gets the events of runs; nobody where nothing consumes them. */
  readonly runEvents: QueueWithDeadLetters | undefined;
  readonly deliveries: QueueWithDeadLetters | undefined;
}

interface Way {
  readonly statement: PolicyStatement;
  readonly variables: Readonly<Record<string, string>>;
}

/** §6 Where functions may send to: the event bus with its rule, and the queue of deliveries. One way for each word that a declaration may say. */
export class Outlets extends Construct {
  private readonly ways: Readonly<Record<Outlet, Way | undefined>>;

  constructor(scope: Construct, id: string, { environment, runEvents, deliveries }: OutletsProps) {
    super(scope, id);
    const eventBus = new EventBus(this, 'Bus', { eventBusName: `rundown-${environment.name}` });
    if (runEvents) this.bring(eventBus, runEvents);
    this.ways = {
      eventBus: {
        statement: new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBus.eventBusArn] }),
        variables: { [ENVIRONMENT.eventBus]: eventBus.eventBusName },
      },
      deliveryQueue: deliveries && {
        statement: new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deliveries.queue.queueArn] }),
        variables: { [ENVIRONMENT.deliveryQueue]: deliveries.queue.queueUrl },
      },
    };
  }

  /** What the queue's policy does not let in for a day is put aside where its other dead letters are. */
  private bring(eventBus: EventBus, { queue, deadLetters }: QueueWithDeadLetters): void {
    new Rule(this, 'RunEvents', {
      eventBus,
      description: 'Events of runs, to the queue of those who tell webhooks',
      eventPattern: { source: [EVENT_SOURCE], detailType: [...RUN_EVENTS] },
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
    if (way === undefined) throw new Error(`Nothing takes what is sent to ${outlet}: declare its consumer first`);
    return way;
  }
}
