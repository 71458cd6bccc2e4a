// Executes the order in each message or new row, and records its input and the number of calls. The id of an upload is
// its key.
const attempts = new Map();

exports.handler = async ({ Records }) => {
  const orders = Records.map((record) => ({
    record,
    order: JSON.parse(record.body ?? record.dynamodb.NewImage.order.S),
  }));
  let answer = { batchItemFailures: [] };
  for (const { record, order } of orders) {
    const identifier = record.messageId ?? record.dynamodb.SequenceNumber;
    const attempt = (attempts.get(identifier) ?? 0) + 1;
    attempts.set(identifier, attempt);
    if (order.throwsOnce && attempt === 1) throw new Error(order.throwsOnce);
    if (order.answersOnce !== undefined && attempt === 1) answer = order.answersOnce;
    if (order.fails || (order.failsOnce && attempt === 1))
      answer.batchItemFailures.push({ itemIdentifier: identifier });
    await note(order.id ?? order.Records[0].s3.object.key, record);
    // Blocks the thread, like an endless loop.
    if (order.hangs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  return answer;
};

async function note(id, record) {
  const answer = await fetch(process.env.AWS_ENDPOINT_URL_DYNAMODB, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': '20260101T000000Z',
      'x-amz-target': 'DynamoDB_20120810.UpdateItem',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify({
      TableName: process.env.TABLE_NAME,
      Key: { pk: { S: id }, sk: { S: 'row' } },
      UpdateExpression: 'SET #record = :record ADD #times :one',
      ExpressionAttributeNames: { '#record': 'record', '#times': 'times' },
      ExpressionAttributeValues: { ':record': { S: JSON.stringify(record) }, ':one': { N: '1' } },
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
