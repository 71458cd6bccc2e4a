import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { ALARM_PERIOD, type AlarmProps, addAlarm } from './alarm.ts';
import { physicalName } from './rundown-function.ts';

/** What AWS asks for: a batch that is still being handled must not be handed out again. */
const VISIBILITY_TIMEOUTS = 6;
const LATE_AFTER = Duration.minutes(15);

export interface QueueWithDeadLettersProps {
  readonly environment: Environment;
  readonly alarmTopic: ITopic | undefined;
  /** Without the environment's prefix: `confirmArtifact`. */
  readonly name: string;
  /** Messages that failed this often go to the dead-letter queue. */
  readonly maxReceiveCount: number;
  /** Of the function that takes the messages. */
  readonly timeoutSeconds: number;
  /** A sentence without its full stop: who is hurt by a message that nobody handles, and how. */
  readonly whoIsHurt: string;
}

/** The only way this project makes a queue: what cannot be handled is kept and raises an alarm, and so does delay. */
export class QueueWithDeadLetters extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueueWithDeadLettersProps) {
    super(scope, id);
    const { environment, alarmTopic, name, maxReceiveCount, timeoutSeconds, whoIsHurt } = props;
    const queueName = physicalName(environment, name);
    this.deadLetters = addDeadLetters(this, 'DeadLetters', {
      environment,
      alarmTopic,
      name: `${name}-dead-letters`,
      whoIsHurt: `${whoIsHurt}, until the messages that failed ${maxReceiveCount} times are moved back.`,
      runbook: 'dead-letters',
    });
    this.queue = new Queue(this, 'Queue', {
      ...PROTECTED,
      queueName,
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(VISIBILITY_TIMEOUTS * timeoutSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    addAlarm(this, 'Late', alarmTopic, {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: ALARM_PERIOD }),
      threshold: LATE_AFTER.toSeconds(),
      whoIsHurt: `${whoIsHurt}, because messages wait for ${LATE_AFTER.toMinutes()} minutes or longer.`,
      runbook: 'late-messages',
    });
  }
}

export interface DeadLettersProps extends Pick<AlarmProps, 'whoIsHurt' | 'runbook'> {
  readonly environment: Environment;
  readonly alarmTopic: ITopic | undefined;
  /** Without the environment's prefix. */
  readonly name: string;
}

/** A queue that nothing is to be in, and its alarm. */
export function addDeadLetters(scope: Construct, id: string, props: DeadLettersProps): Queue {
  const { environment, alarmTopic, name, whoIsHurt, runbook } = props;
  const deadLetters = new Queue(scope, id, {
    ...PROTECTED,
    queueName: physicalName(environment, name),
    // SQS counts from the first sending: kept no longer than in the queue itself, a message could be gone on arrival.
    retentionPeriod: Duration.days(14),
  });
  addAlarm(scope, `${id}Alarm`, alarmTopic, {
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: ALARM_PERIOD }),
    threshold: 1,
    whoIsHurt,
    runbook,
  });
  return deadLetters;
}

const PROTECTED: QueueProps = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
