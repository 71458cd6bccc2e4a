/** The embedded SQS: fauxqs in this process. With a folder, what it has acknowledged survives a kill. */
import { buildApp } from 'fauxqs';
// The package exports neither its stores nor what keeps them on disk, and `startFauxqs`, which would join them, listens
// on all interfaces. Its version is pinned; survival.test.ts fails when these files move or change.
import { PersistenceManager } from '../../node_modules/fauxqs/dist/persistence.js';
import { S3Store } from '../../node_modules/fauxqs/dist/s3/s3Store.js';
import { SnsStore } from '../../node_modules/fauxqs/dist/sns/snsStore.js';
import { SqsStore } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import type { Engine } from './engines.ts';
import { LOOPBACK } from './http-server.ts';

/** Starts it with its messages in `directory`, or in memory without one. */
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
  const persistence = new PersistenceManager(directory);
  // Loaded before they write through: making a queue anew would delete its messages.
  persistence.loadSqsAndSns(sqsStore, snsStore);
  sqsStore.persistence = persistence;
  for (const queue of sqsStore.allQueues()) {
    queue.persistence = persistence;
    // Nobody else uses the folder, so whoever was handling these is gone: no need to wait for the time-out.
    for (const { message } of queue.inflightMessages.values()) queue.messages.push(message);
    queue.inflightMessages.clear();
  }
  return persistence;
}
