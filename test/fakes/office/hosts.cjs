'use strict';

/** The hosts that the office replaces: the preload redirects their requests to its server. */
module.exports = {
	sheets: 'sheets.googleapis.com',
	google: 'www.googleapis.com',
	googleTokens: 'oauth2.googleapis.com',
	gmail: 'gmail.googleapis.com',
	slack: 'slack.com',
	shop: 'shop.example',
};
