// Executes the order in the request's body.
exports.handler = async (event) => {
  const order = JSON.parse(Buffer.from(event.body, 'base64').toString());
  if (order.log) console.log(order.log);
  if (order.error) console.error(order.error);
  if (order.milliseconds) await new Promise((resolve) => setTimeout(resolve, order.milliseconds));
  if (order.throws) throw new Error(order.throws);
  if (order.bytes) return { statusCode: 200, body: 'x'.repeat(order.bytes) };
  return order.result;
};
