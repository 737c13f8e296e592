'use strict';

/** The hosts that the office stands in for: the server answers for them, and the preload sends their requests there. */
module.exports = {
	sheets: 'sheets.googleapis.com',
	google: 'www.googleapis.com',
	googleTokens: 'oauth2.googleapis.com',
	gmail: 'gmail.googleapis.com',
	slack: 'slack.com',
	shop: 'shop.example',
};
