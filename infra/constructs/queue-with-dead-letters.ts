import { Duration } from 'aws-cdk-lib';
import { CfnQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AlarmProps, type AlarmTarget, addAlarm, MAXIMUM } from './alarm.ts';
import { formatPhysicalName } from './physical-name.ts';

/** A multiple of the function timeout, as AWS recommends, so that no batch is redelivered while it is processed. */
const VISIBILITY_TIMEOUTS = 6;
const LATE_AFTER = Duration.minutes(15);

export interface QueueWithDeadLettersProps extends AlarmTarget {
  readonly kmsKey?: string | undefined;
  /** The name without the environment's prefix, for example `confirmArtifact`. */
  readonly name: string;
  readonly maxReceiveCount: number;
  /** The timeout of the consuming function. */
  readonly timeoutSeconds: number;
  /** Visibility timeout. Default: six times the function timeout. */
  readonly retrySeconds?: number | undefined;
  /** A sentence without the period at its end: who is affected by an unhandled message, and how. */
  readonly harm: string;
}

/** A queue with a dead-letter queue, and alarms for dead letters and delay. Use it for every queue. */
export class QueueWithDeadLetters extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueueWithDeadLettersProps) {
    super(scope, id);
    const { environment, alarmTopics, name, maxReceiveCount, timeoutSeconds, retrySeconds, harm, kmsKey } = props;
    this.deadLetters = addDeadLetters(this, 'DeadLetters', {
      environment,
      alarmTopics,
      kmsKey,
      name: `${name}-dead-letters`,
      subject: name,
      harm: `${harm}, because messages failed ${maxReceiveCount} times and became dead letters.`,
      runbook: 'dead-letters',
    });
    this.queue = new Queue(this, 'Queue', {
      ...PROTECTED,
      queueName: formatPhysicalName(environment, name),
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(retrySeconds ?? VISIBILITY_TIMEOUTS * timeoutSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    encrypt(this.queue, kmsKey);
    addAlarm(this, 'Late', props, {
      subject: name,
      metric: this.queue.metricApproximateAgeOfOldestMessage(MAXIMUM),
      threshold: LATE_AFTER.toSeconds(),
      harm: `${harm}, because messages have been waiting for ${LATE_AFTER.toMinutes()} minutes or longer.`,
      runbook: 'late-messages',
    });
  }
}

export interface DeadLettersProps extends AlarmTarget, Pick<AlarmProps, 'subject' | 'harm' | 'runbook'> {
  /** The name without the environment's prefix. */
  readonly name: string;
  readonly kmsKey?: string | undefined;
}

export function addDeadLetters(scope: Construct, id: string, props: DeadLettersProps): Queue {
  const { environment, name, kmsKey, ...alarm } = props;
  const deadLetters = new Queue(scope, id, {
    ...PROTECTED,
    queueName: formatPhysicalName(environment, name),
    // The maximum of SQS. The period starts when a message is first sent, so with less it could expire on arrival.
    retentionPeriod: Duration.days(14),
  });
  encrypt(deadLetters, kmsKey);
  addAlarm(scope, `${id}Alarm`, props, {
    ...alarm,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible(MAXIMUM),
    threshold: 1,
  });
  return deadLetters;
}

/**
 * Sets the properties directly: with a key of the CDK, rules of the event bus would drop the condition of the queue's
 * policy, and each sender would be granted more actions of the key than it needs.
 */
function encrypt({ node }: Queue, kmsKey: string | undefined): void {
  if (kmsKey === undefined) return;
  if (!(node.defaultChild instanceof CfnQueue)) throw new Error(`${node.path} does not contain an AWS::SQS::Queue`);
  node.defaultChild.kmsMasterKeyId = kmsKey;
  node.defaultChild.sqsManagedSseEnabled = undefined;
}

const PROTECTED: QueueProps = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
