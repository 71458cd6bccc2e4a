/** The embedded SQS: fauxqs in this process. With a folder, acknowledged messages survive even a kill. */
import { join } from 'node:path';
import { buildApp } from 'fauxqs';
import { explainDamage } from '#infra/local/host/cannot-start.ts';
import { LOOPBACK } from '#infra/local/host/loopback.ts';
// Deep imports: the package exports only `startFauxqs`, which listens on all interfaces. The version is pinned, and
// survival.test.ts fails if these files move or change.
import { PersistenceManager } from '../../../node_modules/fauxqs/dist/persistence.js';
import { S3Store } from '../../../node_modules/fauxqs/dist/s3/s3Store.js';
import { SnsStore } from '../../../node_modules/fauxqs/dist/sns/snsStore.js';
import { SqsStore } from '../../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import { INVALID_MESSAGE_BODY_CHAR } from '../../../node_modules/fauxqs/dist/sqs/sqsTypes.js';
import type { Engine } from './engine.ts';

/**
 * The characters that a message may contain. SQS API reference, SendMessage: #x9 | #xA | #xD | #x20 to #xD7FF | #xE000
 * to #xFFFD | #x10000 to #x10FFFF. The engine's own expression lacks the `u` flag, so it sees surrogates and rejects
 * every emoji.
 */
const QUEUEABLE = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;
INVALID_MESSAGE_BODY_CHAR.test = (body) => !QUEUEABLE.test(body);

/** Starts the engine with its messages in `directory`, or in memory if there is no directory. */
export async function startSqs(directory: string | undefined): Promise<Engine> {
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = directory === undefined ? undefined : restore(stores, directory);
  const app = buildApp({ logger: false, host: LOOPBACK, stores });
  const endpoint = await app.listen({ host: LOOPBACK, port: 0 });
  return {
    endpoint,
    close: async () => {
      await app.close();
      persistence?.close();
    },
  };
}

function restore({ sqsStore, snsStore }: { sqsStore: SqsStore; snsStore: SnsStore }, directory: string) {
  let persistence: PersistenceManager;
  try {
    persistence = new PersistenceManager(directory);
    // Loads messages before write-through is active, because recreating a queue would delete its stored messages.
    persistence.loadSqsAndSns(sqsStore, snsStore);
  } catch (error) {
    const fix = 'Delete its folder and start again. Queued messages are lost, but all other data is kept';
    throw explainDamage(join(directory, 'fauxqs.db'), error, fix);
  }
  sqsStore.persistence = persistence;
  for (const queue of sqsStore.allQueues()) {
    queue.persistence = persistence;
    // Only one process at a time uses the folder, so the consumers of messages that were in flight are gone. These
    // messages need not wait for their visibility timeout.
    for (const { message } of queue.inflightMessages.values()) queue.messages.push(message);
    queue.inflightMessages.clear();
  }
  return persistence;
}
