/** Listings of the local bucket, as the SDK reads them. */
import { ListObjectsV2Command, PutObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { localService } from './local-service.ts';

const running = localService();

test('A listing of more objects than fit into a page continues after each page, and begins after any key', async () => {
  const { environment } = running().service;
  const client = new S3Client({
    endpoint: environment['AWS_ENDPOINT_URL_S3'] ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  const Bucket = environment['ARTIFACTS_BUCKET'];
  const keys = ['listed/a', 'listed/b & c', 'listed/d/e', 'listed/f', 'listed/g'];
  for (const Key of [...keys, 'other/a']) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  const pages = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 2 }, { Bucket, Prefix: 'listed/' }))
    pages.push(Contents.map(({ Key, Size }) => [Key, Size]));
  const sizes = keys.map((key) => [key, key.length]);
  expect(pages).toEqual([sizes.slice(0, 2), sizes.slice(2, 4), sizes.slice(4)]);
  const rest = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'listed/', StartAfter: keys[2] }));
  expect(rest.Contents?.map(({ Key }) => Key)).toEqual(keys.slice(3));
  expect(rest.IsTruncated).toBe(false);
  client.destroy();
});
