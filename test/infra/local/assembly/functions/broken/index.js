require('left-pad');
exports.handler = async () => ({ statusCode: 200 });
